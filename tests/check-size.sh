#!/bin/sh
# A function has at most 60 lines, not counting const tables inside; a file fewer than 500, a header at most 300.
# Prints what is larger; silent when all is well. Relies on the layout: a body begins and ends with a brace in column 1.
set -u
cd "$(dirname "$0")/.." || exit 1

# shellcheck disable=SC2046 # names of source files hold no blanks
awk '
function done() { if (name != "" && lines >= limit) { print name ": " lines " lines"; bad = 1 } }
FNR == 1 { done(); name = FILENAME; limit = FILENAME ~ /\.h$/ ? 301 : 500; start = 0 }
{ lines = FNR }
/[ \t]$/ { print FILENAME ":" FNR ": blank at the end of the line"; bad = 1 }
/^[a-z].*\)$/ || /^[a-z][a-z0-9_ *]*\(.*[,(]$/ { head = FNR; said = $0 }
/^\{/ && head && FNR - head < 8 { start = head; data = table = 0 }
start && /^\t(static const .*|} .*)= \{/ && !/;$/ && !table { table = FNR }
table && /^\t}.*;$/ { data += FNR - table; table = 0 }
/^\}/ {
	if (start && FNR - start + 1 - data > 60) {
		print FILENAME ":" start ": function of " FNR - start + 1 - data " lines: " said
		bad = 1
	}
	start = head = 0
}
END { done(); exit bad }
' $(find engine collectors reports tests -name '*.[ch]' | sort)
