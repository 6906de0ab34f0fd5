#!/bin/sh
# Writes the C files that the build makes from lists of files, to standard output:
#   generate.sh rules FILE.yaml…   nd_rules_builtin[], the rules that are compiled into the program
#   generate.sh reports FILE.c…    nd_reports[], the formats that these files define
set -eu
export LC_ALL=C

rules() {
	echo '#include "engine/rule/rules.h"'
	echo
	echo 'const struct nd_rules_file nd_rules_builtin[] = {'
	for file in "$@"; do
		printf '\t{ .path = "%s", .len = %d, .text =\n' "$file" "$(wc -c <"$file")"
		od -An -v -to1 "$file" | sed 's/ *\([0-7][0-7]*\)/\\\1/g; s/^/"/; s/ *$/"/'
		[ -s "$file" ] || echo '""'
		printf '\t},\n'
	done
	printf '\t{ 0 },\n};\n'
}

reports() {
	names=$(sed -n 's/^const struct nd_report \(nd_report_[a-z0-9_]*\) *= *{.*/\1/p' "$@" /dev/null)
	echo '#include "reports/report.h"'
	echo
	for name in $names; do
		echo "extern const struct nd_report $name;"
	done
	echo
	echo 'const struct nd_report *const nd_reports[] = {'
	for name in $names; do
		printf '\t&%s,\n' "$name"
	done
	printf '\tNULL,\n};\n'
}

what=$1
shift
"$what" "$@"
