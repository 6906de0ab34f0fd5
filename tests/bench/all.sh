#!/bin/sh
# All benchmarks: each prints its figures and holds them against limits. The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
export ND="$B/netdoctor" BENCH="$B/tests/bench/rules"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0
failed=0

for bench in tests/bench/*.sh; do
	case $bench in */all.sh | */lib.sh) continue ;; esac
	echo "# $bench"
	rc=0
	"$bench" >"$log" 2>&1 </dev/null || rc=$?
	cat "$log"
	[ $rc != 77 ] || continue # what it needs is not there: said
	last=$(tail -n 1 "$log" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
	[ -n "$last" ] || last="0 1"
	passed=$((passed + ${last% *}))
	failed=$((failed + ${last#* }))
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
