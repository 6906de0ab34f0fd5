#!/bin/sh
# A thousand rules over a host with 512 CPUs and 4,096 interfaces: loaded in 300 ms, evaluated in 200 ms of CPU time.
# Where PCP's pmie and its Python module are installed, the same conditions are timed there too, to compare; they are
# not a test. Other limits: LOAD_MS=, EVAL_MS=, LISTENERS_MS=. The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/bench/lib.sh
BENCH=${BENCH:-build/tests/bench/rules}
PYTHON=${PYTHON:-/usr/bin/python3} # Debian's, for which python3-pcp is built
scratch

value() { sed -n "s/^$1 //p" "$tmp/out"; }

at_most() { # FIGURE LIMIT
	v=$(value "$1")
	ok=0
	[ -n "$v" ] && [ "$v" -le "$2" ] && ok=1
	verdict $ok "$1 is ${v:-missing}, at most $2 is expected"
}

# The conditions of tests/bench/texts.c as pmie can say them: a comparison of rates for each instance; no tree, no
# evidence, no fix. One in twenty is true, as there.
pmie_rules() {
	awk 'function limit(planted) { return int(i / 10) % 20 == 7 ? planted / 2 : planted * (1.3 + 1.7 * rand()) }
	BEGIN {
		srand(1)
		n = "network.interface.in."
		s = "network.softnet.percpu."
		for (i = 0; i < 1000; i++) {
			busy = 800 + int(400 * rand())
			if (i % 10 < 4)
				e = sprintf("some_inst ( %spackets > %d count/second && %sfifo / %spackets > %.4f && %sdrops / %spackets < 0.5 )",
					n, busy, n, n, limit(0.02), n, n)
			else if (i % 10 < 9)
				e = sprintf("some_inst ( %sprocessed > %d count/second && %sdropped / %sprocessed > %.4f && %stime_squeeze / %sprocessed < 0.9 )",
					s, busy, s, s, limit(0.01), s, s)
			else
				e = sprintf("sum_inst ( %sdropped ) / sum_inst ( %sprocessed ) > %.5f && sum_inst ( %sdrops ) < 1 count/second",
					s, s, limit(0.0028), n)
			printf "r%04d = %s -> print \"r%04d %%i\";\n", i, e, i
		}
	}'
}

# CPU time of a command in ms. Its output goes to $tmp/said.
cpu_ms() {
	"$PYTHON" -c 'import os, subprocess, sys
with open(sys.argv[1], "w") as out:
    subprocess.run(sys.argv[2:], stdout=out, stderr=subprocess.STDOUT, check=True)
t = os.times()
print(round(1000 * (t.children_user + t.children_system)))' "$tmp/said" "$@"
}

# Two runs over one archive, of 2 and of 6 evaluations: the difference is the price of 4, the rest that of loading.
pmie_part() {
	command -v pmie >/dev/null || {
		echo "pmie not installed: nothing to compare with (apt-get install pcp python3-pcp)"
		return
	}
	"$PYTHON" tests/bench/archive.py "$tmp/archive" 512 4096 2>"$tmp/why" || {
		echo "pmie: no archive could be made: $(tail -n 1 "$tmp/why")"
		return
	}
	pmie_rules >"$tmp/rules.pmie"
	few=$(cpu_ms pmie -a "$tmp/archive" -t 10sec -T 20sec -c "$tmp/rules.pmie") || return
	many=$(cpu_ms pmie -a "$tmp/archive" -t 10sec -T 60sec -c "$tmp/rules.pmie") || return
	each=$(((many - few) / 4))
	echo "pmie_load_ms $((few - 2 * each))"
	echo "pmie_eval_ms $each"
	echo "pmie_true $(grep -c '^print .* r[0-9]*' "$tmp/said") of 1000 rules in 6 evaluations"
}

"$BENCH" >"$tmp/out" 2>"$tmp/err"
rc=$?
cat "$tmp/out" "$tmp/err"
verdict "$((rc == 0))" "the findings are those that were planted (status $rc)"
at_most load_ms "${LOAD_MS:-300}"
at_most eval_ms "${EVAL_MS:-200}"
at_most listeners_ms "${LISTENERS_MS:-500}"
pmie_part
closing
