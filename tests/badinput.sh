#!/bin/sh
# Recorded outputs as people really send them: cut short, garbled, empty, unreadable. Each is a missing fact with its
# reason; there is always a report, never a crash, and never a cause that the whole file does not show.
#
# usage: ND=build/netdoctor tests/badinput.sh      last line: N passed, N failed
# SHARE=N: one damage of N, for builds that are slow.
# shellcheck disable=SC2013 # names without blanks
set -u
nd=${ND:-build/netdoctor}
passed=0 failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM HUP

ok() { passed=$((passed + 1)); }
fail() {
	failed=$((failed + 1))
	echo "not ok $1"
}

# run NAME FOLDER: a report must come out, with an exit status that is a verdict. Leaves $dir/report.json.
run() {
	rc=0
	timeout 20 "$nd" run --from "$2" --format json >"$dir/report.json" 2>"$dir/err" || rc=$?
	case $rc in
	0 | 1 | 3) jq -e .verdict "$dir/report.json" >/dev/null || { fail "$1: the report is no JSON"; return 1; } ;;
	4) grep -q 'no input could be read' "$dir/err" || { fail "$1: status 4 without saying why"; return 1; } ;;
	*)
		fail "$1: exit status $rc: $(tail -n 1 "$dir/err")"
		return 1
		;;
	esac
}

# Causes that the damaged copy reports and the whole one does not.
no_new_cause() {
	jq -r '.findings[] | select(.confidence != "suspected") | .cause' "$dir/report.json" 2>/dev/null | while read -r cause; do
		grep -qx "$cause" "$dir/whole.causes" || echo "$cause"
	done
}

damage() { # how file
	case $1 in
	empty) : >"$2" ;;
	half) head -c $(($(wc -c <"$2") / 2)) "$2" >"$dir/part" && cat "$dir/part" >"$2" ;;
	line) head -c $(($(wc -c <"$2") - 3)) "$2" >"$dir/part" && cat "$dir/part" >"$2" ;;
	letters) sed 's/[0-9]/x/g' "$2" >"$dir/part" && cat "$dir/part" >"$2" ;;
	huge) sed 's/[0-9][0-9]*/99999999999999999999999999/g' "$2" >"$dir/part" && cat "$dir/part" >"$2" ;;
	minus) sed 's/\([^0-9A-Za-z]\)\([0-9]\)/\1-\2/g' "$2" >"$dir/part" && cat "$dir/part" >"$2" ;;
	crlf) sed 's/$/\r/' "$2" >"$dir/part" && cat "$dir/part" >"$2" ;;
	binary) head -c 4096 /dev/zero >"$2" ;;
	noise) tr '0-9 ' 'a-j\377' <"$2" >"$dir/part" && cat "$dir/part" >"$2" ;;
	esac
}

# Files of cases, one for each tool: without moment, interface and extension their names are equal.
one_of_each() {
	for file in tests/cases/*/*; do
		name=${file##*/}
		[ "$name" = expect.yaml ] || printf '%s %s\n' "$name" "$file"
	done | sed 's/^\([^ @.]*\)[^ ]* /\1 /; s/^\([^ ]*\)-\(eth\|ens\|enp\|net\|bond\)[^ ]* /\1 /' |
		sort -s -k1,1 -u | cut -d ' ' -f 2
}

one_of_each >"$dir/files"
turn=0
for case in $(sed 's,/[^/]*$,,' "$dir/files" | sort -u); do
	id=${case##*/}
	"$nd" run --from "$case" --format json 2>/dev/null | jq -r '.findings[].cause' >"$dir/whole.causes"
	# a narrower name may give way to its wider one, or a bound to another subject of the same data
	sed -n 's/^  *- //p; s/^  class: //p' "$case/expect.yaml" | sort -u >>"$dir/whole.causes"
	for how in empty half line letters huge minus crlf binary noise; do
		for file in $(grep "^$case/" "$dir/files"); do
			name=${file##*/}
			turn=$((turn + 1))
			[ $((turn % ${SHARE:-1})) = 0 ] || continue
			rm -rf "$dir/copy" && cp -r "$case" "$dir/copy"
			damage "$how" "$dir/copy/$name"
			run "$id/$name $how" "$dir/copy" || continue
			new=$(no_new_cause)
			if [ -n "$new" ]; then fail "$id/$name $how: reports $new"; else ok; fi
		done
	done
done

# The reason is said, with the file: one input of each kind of damage.
reason() { # name pattern
	if grep -q "$2" "$dir/report.json"; then ok; else fail "$1: the report does not say $2"; fi
}
mkdir "$dir/one"
cp tests/cases/C111/softnet_stat "$dir/one/softnet_stat"
cp tests/cases/C068/netstat-s.txt "$dir/one/netstat-s.txt"
: >"$dir/one/softnet_stat"
run "an empty file beside a good one" "$dir/one" && reason "an empty file" 'empty file'
echo 'what 0 is xyzzy this' >"$dir/one/softnet_stat"
run "a garbled file beside a good one" "$dir/one" && reason "a garbled file" 'softnet_stat:1'
if [ "$(id -u)" != 0 ]; then
	chmod 0 "$dir/one/softnet_stat"
	run "an unreadable file" "$dir/one" && reason "an unreadable file" 'no-permission'
else # root reads everything: a folder of that name cannot be read as a file, a dangling link not at all
	rm "$dir/one/softnet_stat" && ln -s /nonexistent "$dir/one/softnet_stat"
	run "a dangling link" "$dir/one" && ok
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
