#!/bin/sh
# One full pass over all counters of this host: its CPU time, against the shell pipeline that gives the same numbers, in pairs.
# What the pipeline's tools are not installed for is left out of it, and said. Other limit: PASS_MS=. The last line is
# "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/bench/lib.sh
ND=${ND:-build/netdoctor}
PASS_MS=${PASS_MS:-15}
scratch

# CPU milliseconds of one pass: all that the collectors took, by the number of passes.
one_pass() {
	"$ND" facts dump --duration 500ms --stats >"$tmp/stats" 2>&1
	awk 'NF == 5 && $5 ~ /ms$/ { sub("ms", "", $5); cpu += $5 } $1 == "softnet" { passes = $2 } END { if (passes) print cpu / passes }' "$tmp/stats"
}

pipeline() {
	nstat -az
	ss -s
	mpstat -P ALL
	for dev in /sys/class/net/*; do ethtool -S "${dev##*/}"; done
	conntrack -S
}

# CPU milliseconds of the tools, as the shell counts its children. `times` prints minutes and seconds.
pipeline_ms() {
	(
		pipeline >/dev/null 2>&1
		times
	) | awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, "m"); sub("s", "", t[2]); ms += 60000 * t[1] + 1000 * t[2] } print ms }'
}

for tool in nstat ss mpstat ethtool conntrack; do
	command -v $tool >/dev/null || echo "$tool is not installed: the pipeline is quicker without it"
done
for _ in 1 2 3 4 5 6 7 8 9; do
	p=$(one_pass)
	s=$(pipeline_ms)
	echo "$p" >>"$tmp/pass"
	echo "$s" >>"$tmp/pipe"
	awk -v p="$p" -v s="$s" 'BEGIN { print (s > 0 ? p / s : 9) }' >>"$tmp/ratio"
done
pass=$(median <"$tmp/pass")
ratio=$(median <"$tmp/ratio")
echo "pass_ms $pass"
echo "pipeline_ms $(median <"$tmp/pipe")"
echo "ratio $ratio"
verdict "$(awk -v p="${pass:-99}" -v l="$PASS_MS" 'BEGIN { print (p > 0 && p <= l) }')" "one pass takes $pass ms of CPU, at most $PASS_MS is expected"
verdict "$(awk -v r="${ratio:-9}" 'BEGIN { print (r > 0 && r < 1) }')" "one pass takes $ratio of the pipeline's CPU time"
closing
