# shellcheck shell=sh
# What the tests of the command line share: calls of the program, and what they are asked about. Source it from the
# project's root; it makes $tmp. The caller ends with `closing`.
ND=${ND:-build/netdoctor}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM HUP
passed=0
failed=0

ok() { passed=$((passed + 1)); }
no() {
	failed=$((failed + 1))
	echo "not ok: $*"
	sed 's/^/    /' "$tmp/out" "$tmp/err" | tail -n 12
}
# call ARGUMENTS…: runs it; leaves $rc, out and err.
call() {
	rc=0
	said="netdoctor $*"
	timeout 60 "$ND" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || rc=$?
}
# status N: the last call ended so.
status() {
	if [ "$rc" = "$1" ]; then ok; else no "$said: status $rc, expected $1"; fi
}
# says out|err PATTERN (extended, case matters); lacks the same.
says() {
	if grep -qE -- "$2" "$tmp/$1"; then ok; else no "$said: std$1 lacks '$2'"; fi
}
lacks() {
	if grep -qE -- "$2" "$tmp/$1"; then no "$said: std$1 has '$2'"; else ok; fi
}
silent() {
	if [ ! -s "$tmp/$1" ]; then ok; else no "$said: std$1 should be empty"; fi
}
# holds TEXT COMMAND…: the command succeeds.
holds() {
	text=$1
	shift
	if "$@" >"$tmp/err" 2>&1; then ok; else no "$text"; fi
}
# The last line, and the status.
closing() {
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
}
