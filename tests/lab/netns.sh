#!/bin/sh
# Another network namespace is looked into by name, by path and by a process in it: its listeners, interfaces and sysctls and no others;
# the host's own numbers stay the host's; nothing is mounted that others see. Needs: root, ip, jq, a C compiler.
# shellcheck disable=SC2016 # filters of jq
set -eu
. tests/lab/lib.sh
need jq
make_namespace
build backlog
inside sysctl -qw net.core.somaxconn=77
start backlog 5611 4 0 30
mounts=$(wc -l </proc/mounts)

# looks WHAT OPTIONS…: the facts seen so are those of the namespace.
looks() {
	what=$1
	shift
	"$ND" facts dump --json --duration 200ms "$@" >"$LAB_DIR/facts.json" 2>"$LAB_DIR/err" || fail "$what: $(cat "$LAB_DIR/err")"
	seen=$(jq -r '[.[] | select(.fact == "port") | .entity] | unique | map(select(startswith("listener:"))) | join(" ")' "$LAB_DIR/facts.json")
	[ "$seen" = "listener:tcp/127.0.0.1:5611" ] || fail "$what: listeners are '$seen'"
	jq -e '[.[] | select(.entity | startswith("iface:")) | .entity] | unique == ["iface:lo"]' "$LAB_DIR/facts.json" >/dev/null ||
		fail "$what: not just lo"
	jq -e '.[] | select(.entity == "netns:host" and .fact == "sysctl.net.core.somaxconn") | .value == 77' "$LAB_DIR/facts.json" >/dev/null ||
		fail "$what: not its sysctl"
	jq -e 'any(.[]; .entity == "cpu:0" and .fact == "softnet.processed.total" and .value > 0)' "$LAB_DIR/facts.json" >/dev/null ||
		fail "$what: the host's counters are gone"
}

pid=${LAB_PIDS##* }
looks "--netns" --netns "$LAB_NS"
looks "--netns with a path" --netns "/run/netns/$LAB_NS"
looks "--pid" --pid "$pid"
[ "$(wc -l </proc/mounts)" = "$mounts" ] || fail "something is mounted that was not before"

rc=0
"$ND" run --netns "$LAB_NS" --duration 300ms --format json >"$LAB_DIR/report.json" 2>"$LAB_DIR/err" || rc=$?
case $rc in 0 | 1 | 3) ;; *) fail "run --netns ends with $rc: $(cat "$LAB_DIR/err")" ;; esac
holds '.host.netns == $name' --arg name "$LAB_NS" || fail "the report does not name the namespace"

# Mistakes: what was expected, and what to do.
refuses() { # STATUS PATTERN OPTIONS…
	want=$1
	pattern=$2
	shift 2
	rc=0
	"$ND" run "$@" >/dev/null 2>"$LAB_DIR/err" || rc=$?
	[ $rc = "$want" ] || fail "run $*: status $rc, expected $want"
	grep -qE "$pattern" "$LAB_DIR/err" || fail "run $*: $(cat "$LAB_DIR/err")"
}
refuses 4 'ip netns list shows the names' --netns nonesuch
refuses 4 'it is no network namespace' --netns /etc/passwd
refuses 4 'there is no such process' --pid 2147483646
refuses 2 'expected the number of a process' --pid nginx
refuses 2 'give one' --pid 1 --netns x
refuses 2 'not for --from' --netns x --from tests
stop_all
echo "PASS netns.sh"
