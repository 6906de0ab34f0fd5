# shellcheck shell=sh
# What the lab scripts share: skip with a reason, a namespace of our own that goes away, programs built on demand.
# Source it from the project's root. Exit status of a script: 0 passed, 1 failed, 77 skipped.

ND=${ND:-build/netdoctor}
CC=${CC:-cc}
LAB_NS=
LAB_DIR=
LAB_PIDS=
# shellcheck disable=SC2034 # the scripts ask for it
LAB_BUSY= # the machine had no CPU to spare while we looked

skip() {
	echo "SKIP ${0##*/}: $*"
	exit 77
}

fail() {
	echo "FAIL ${0##*/}: $*"
	[ -z "$LAB_DIR" ] || [ ! -s "$LAB_DIR/report.json" ] ||
		jq -c '{verdict, findings: [.findings[] | {cause, entity, confidence}], open: [.open[] | .cause]}' "$LAB_DIR/report.json"
	exit 1
}

cleanup() {
	for pid in $LAB_PIDS; do
		kill "$pid" 2>/dev/null || :
	done
	[ -z "$LAB_NS" ] || ip netns del "$LAB_NS" 2>/dev/null || :
	[ -z "$LAB_DIR" ] || rm -rf "$LAB_DIR"
}

# Needs root, the tools named in its arguments, and the program under test.
need() {
	[ "$(id -u)" = 0 ] || skip "needs root"
	for tool in ip "$@"; do
		command -v "$tool" >/dev/null || skip "needs $tool"
	done
	[ -x "$ND" ] || skip "needs $ND: run make first"
}

# Makes $LAB_NS, a namespace with nothing but lo, and $LAB_DIR.
make_namespace() {
	trap cleanup EXIT
	trap 'exit 1' INT TERM HUP PIPE
	LAB_DIR=$(mktemp -d)
	ip netns add "nd-lab-$$" || skip "needs network namespaces"
	LAB_NS=nd-lab-$$
	ip netns exec "$LAB_NS" ip link set lo up
}

inside() {
	ip netns exec "$LAB_NS" "$@"
}

# build NAME: compiles tests/lab/NAME.c into $LAB_DIR.
build() {
	$CC -std=gnu11 -D_GNU_SOURCE -O2 -o "$LAB_DIR/$1" "tests/lab/$1.c" || skip "needs a C compiler"
}

# start NAME ARGUMENTS…: runs $LAB_DIR/NAME inside, in the background.
start() {
	prog=$1
	shift
	ip netns exec "$LAB_NS" "$LAB_DIR/$prog" "$@" >"$LAB_DIR/$prog.out" 2>&1 &
	LAB_PIDS="$LAB_PIDS $!"
	sleep 0.5
}

stop_all() {
	for pid in $LAB_PIDS; do
		kill "$pid" 2>/dev/null || :
		wait "$pid" 2>/dev/null || :
	done
	LAB_PIDS=
}

# Runs the program under test inside and leaves $LAB_DIR/report.json.
examine() {
	rc=0
	inside "$ND" run --format json --duration "${1:-5}" >"$LAB_DIR/report.json" 2>"$LAB_DIR/err" || rc=$?
	case $rc in
	0 | 1 | 3) ;;
	*)
		cat "$LAB_DIR/err"
		fail "netdoctor ended with status $rc"
		;;
	esac
	jq -e . "$LAB_DIR/report.json" >/dev/null || fail "the report is no JSON"
	ours "$LAB_DIR/report.json"
}

# Takes out of a report what is true of a busy machine, and not of the incident: the CPUs belong to others too.
ours() {
	jq '.findings |= map(select(.cause != "cpu-saturation" and .cause != "cpu-steal"))' "$1" >"$1.ours"
	# shellcheck disable=SC2034 # the scripts ask for it
	[ "$(jq '.findings | length' "$1")" = "$(jq '.findings | length' "$1.ours")" ] || LAB_BUSY=1
	mv "$1.ours" "$1"
}

# holds FILTER [--arg NAME VALUE]…: is the jq filter true for the report?
holds() {
	filter=$1
	shift
	jq -e "$@" "$filter" "$LAB_DIR/report.json" >/dev/null
}
