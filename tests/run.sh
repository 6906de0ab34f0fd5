#!/bin/sh
# Runs groups of tests, all without arguments: run.sh [GROUP…]. The last line is "N passed, N failed".
#   build   the default build, without warnings       clang   the same with clang
#   unit    tests/unit                                rules   the tests inside the rules
#   cases   tests/cases.sh, paste.sh: public incidents, texts pasted in tickets
#   input   tests/input.sh, capture.sh: archives, names that say nothing, what was made to harm; captures
#   cli     tests/cli.sh, rules_cli.sh, lint_cli.sh: the command line
#   hostile tests/badinput.sh, hostile.sh, tests/fuzz    mutate  each rule changed in one place: a test must notice
#   docs    the examples of rules/README.md
#   schema  JSON reports against their schema         layers, size   how the code is laid out
#   san     unit, rules, cases, part of cli once more, with the address and undefined-behaviour sanitizers
#   lab     tests/lab: incidents made on this host, in namespaces of their own; needs root
set -u
cd "$(dirname "$0")/.." || exit 1
MAKE=${MAKE:-make}
B=${B:-build}
ND=$B/netdoctor
UNIT=$B/tests/unit
export ND
# An exit status of a sanitizer must not look like a verdict.
export ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=exitcode=99,halt_on_error=1,print_stacktrace=1
unset MAKEFLAGS MFLAGS MAKELEVEL

passed=0
failed=0
skipped=0
prefix=
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
trap 'exit 130' INT TERM
log=$logs/log

pass() { passed=$((passed + ${1:-1})); }
fail() {
	failed=$((failed + 1))
	echo "FAIL $prefix$*"
	[ ! -s "$log" ] || awk '{ line[NR] = $0 } END { for (i = 1; i <= NR; i++)
		if (NR <= 45 || i <= 30 || i > NR - 12) print "    " line[i]; else if (i == 31) print "    ..." }' "$log"
}
skip() {
	skipped=$((skipped + 1))
	echo "SKIP $prefix$*"
}

# build_all NAME VARIABLES…: no make variable may come from outside.
build_all() {
	name=$1
	shift
	if $MAKE --no-print-directory -k -j"$(nproc)" "$@" all tests >"$log" 2>&1; then
		pass
		return
	fi
	grep -E 'error|warning|undefined|\*\*\*' "$log" >"$log.errors"
	mv "$log.errors" "$log"
	fail "$name"
	# What an earlier build left must not be taken for this one.
	$MAKE --no-print-directory -q "$@" all >/dev/null 2>&1 || rm -f "$ND"
}

# One program of cmocka: each "ok" of its TAP output counts, and so does what the plan promised and nobody saw.
unit_one() {
	t=$1
	rc=0
	[ -x "$t" ] || {
		: >"$log"
		fail "${t##*/}: was not built"
		return
	}
	CMOCKA_MESSAGE_OUTPUT=TAP timeout 120 "$t" >"$log" 2>"$log.err" </dev/null || rc=$?
	ok=$(grep -c '^ok ' "$log")
	skips=$(grep -c '^not ok [0-9]* # SKIP' "$log")
	bad=$(grep '^not ok ' "$log" | grep -vc '# SKIP')
	planned=$(sed -n 's/^1\.\.//p' "$log" | head -n 1)
	pass "$ok"
	skipped=$((skipped + skips))
	grep -v '^ok ' "$log" >"$log.bad"
	cat "$log.bad" "$log.err" >"$log"
	if [ "$bad" -gt 0 ]; then
		fail "${t##*/}: $bad of ${planned:-?} tests"
		failed=$((failed + bad - 1))
	elif [ $rc != 0 ] || [ "${planned:-0}" = 0 ] || [ "$planned" != $((ok + skips)) ]; then
		fail "${t##*/}: status $rc after $ok of ${planned:-?} tests"
	fi
}

# A program that ends with "N passed, N failed"; what it says of failures is printed.
summed() {
	name=$1
	rc=0
	shift
	timeout 600 "$@" >"$log" 2>&1 </dev/null || rc=$?
	last=$(tail -n 1 "$log")
	p=$(echo "$last" | sed -n 's/^\([0-9][0-9]*\) passed, [0-9][0-9]* failed$/\1/p')
	f=$(echo "$last" | sed -n 's/^[0-9][0-9]* passed, \([0-9][0-9]*\) failed$/\1/p')
	if [ -z "$p" ]; then
		fail "$name: status $rc and no closing line"
		return
	fi
	pass "$p"
	if [ "$f" != 0 ]; then
		fail "$name: $f failed"
		failed=$((failed + f - 1))
	elif [ $rc != 0 ] || [ "$p" = 0 ]; then
		fail "$name: status $rc with $p passed, $f failed"
	fi
}

# A script that passed with 0, and could not run here with 77.
script() {
	name=$1
	rc=0
	shift
	timeout 600 "$@" >"$log" 2>&1 </dev/null || rc=$?
	case $rc in
	0) pass ;;
	77) skip "$name: $(tail -n 1 "$log" | sed 's/^SKIP [^:]*: //')" ;;
	*) fail "$name: status $rc" ;;
	esac
}

group_build() { build_all "build"; }
group_clang() { build_all "build with clang" CC=clang B="$B/clang"; }
group_unit() {
	for src in tests/unit/test_*.c; do
		t=${src##*/}
		unit_one "$UNIT/${t%.c}"
	done
}
group_rules() { summed "rules test" "$ND" rules test; }
group_cases() {
	summed "cases.sh" tests/cases.sh
	summed "paste.sh" tests/paste.sh
}
group_input() {
	summed "input.sh" tests/input.sh
	summed "capture.sh" tests/capture.sh
}
group_cli() {
	summed "cli.sh" tests/cli.sh
	summed "rules_cli.sh" tests/rules_cli.sh
	summed "lint_cli.sh" tests/lint_cli.sh
}
# Damaged recordings, hostile rule files, and the inputs that fuzzing once found.
group_hostile() {
	summed "badinput.sh" tests/badinput.sh
	summed "hostile.sh" tests/hostile.sh
	replay "$B/tests/fuzz"
}
# replay DIR: through the programs in it, what is in the corpus of each fuzz target and what the tests give to begin with.
replay() {
	tests/fuzz/seeds.sh "$logs/seeds" >"$log" 2>&1 || fail "seeds.sh"
	for target in yaml expr pattern rule input; do
		summed "fuzz_$target" "$1/replay-$target" "tests/fuzz/corpus/$target" "$logs/seeds/$target"
	done
}
group_mutate() {
	if $MAKE --no-print-directory "$B/tests/mutate/mutate" >"$log" 2>&1; then
		summed "mutate" "$B/tests/mutate/mutate"
	else
		fail "mutate: does not build"
	fi
}
group_docs() { summed "docs.sh" tests/docs.sh; }
group_schema() { script "check-schema.sh" tests/check-schema.sh; }
group_layers() { script "check-layers.sh" tests/check-layers.sh; }
group_size() { script "check-size.sh" tests/check-size.sh; }
group_lab() {
	for t in tests/lab/*.sh; do
		case $t in
		*/lib.sh | */demo.sh) ;;
		*) script "${t#tests/}" "$t" ;;
		esac
	done
}
group_san() {
	ND=$B/san/netdoctor
	UNIT=$B/san/tests/unit
	prefix="sanitizers: "
	build_all "build" SAN=1 B="$B/san"
	group_unit
	group_rules
	group_cases
	summed "cli.sh" tests/cli.sh
	summed "badinput.sh" env SHARE=16 tests/badinput.sh
	summed "hostile.sh" tests/hostile.sh
	replay "$B/san/tests/fuzz"
	ND=$B/netdoctor
	UNIT=$B/tests/unit
	prefix=
}

[ $# -gt 0 ] || set -- build unit rules cases input cli docs hostile mutate schema layers size lab clang san
for group in "$@"; do
	before=$((passed + failed))
	began=$(date +%s)
	"group_$group"
	echo "$group: $((passed + failed - before)) tests in $(($(date +%s) - began)) s"
done
echo "$skipped skipped"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
