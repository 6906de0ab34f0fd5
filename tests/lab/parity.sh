#!/bin/sh
# Both ways to the same facts on one live host: the kernel's own interfaces, and the text of the tools. Two live dumps with the
# tools' outputs between them: a figure from text is that of the first or the second dump, a counter lies between.
# Needs: root, ip, ss, tc, nstat, ethtool, conntrack, python3, a C compiler.
set -eu
. tests/lab/lib.sh
need ss tc nstat netstat ethtool conntrack python3 nft
make_namespace
build hold
PEER=$LAB_NS-peer
trap 'ip netns del "$PEER" 2>/dev/null || :; cleanup' EXIT
ip netns add "$PEER"

# A link with a shaper and a firewall that tracks, sockets on it and on loopback, an echo of each protocol.
ip -n "$LAB_NS" link add parity0 mtu 1400 type veth peer name parity1 netns "$PEER"
inside ip addr add 198.51.100.1/24 dev parity0
ip -n "$PEER" addr add 198.51.100.2/24 dev parity1
inside ip link set parity0 up
ip -n "$PEER" link set parity1 up
inside tc qdisc add dev parity0 root handle 1: tbf rate 8mbit burst 5k latency 20ms
inside nft 'add table inet parity; add chain inet parity in { type filter hook input priority 0; }; add rule inet parity in ct state established accept'
inside python3 -c '
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(200):
    try:
        s.sendto(bytes(1300), ("198.51.100.2", 9000 + i % 7))
    except ConnectionRefusedError:
        pass
'
start hold 40
i=0
until grep -q ready "$LAB_DIR/hold.out"; do
	i=$((i + 1))
	[ $i -lt 100 ] || fail "no connections"
	sleep 0.1
done

# take FILE COMMAND…: the output of a tool, as people save it. What a tool cannot say is no part of the test.
text=$LAB_DIR/text
mkdir "$text"
take() {
	file=$1
	shift
	inside "$@" >"$text/$file" 2>/dev/null || rm -f "$text/$file"
}
dump() { inside "$ND" facts dump --json --duration 200ms >"$LAB_DIR/$1.json"; }
dump first
take ss-tinm.txt ss -tinm
take ss-ltnm.txt ss -ltnm
take ss-uanm.txt ss -uanm
take ip-s-s-d-link.txt ip -s -s -d link
take tc-s-d-qdisc.txt tc -s -d qdisc
take nstat-az.txt nstat -az
take conntrack-S.txt conntrack -S
take conntrack-C.txt conntrack -C
take sysctl-a.txt sysctl -a
for option in S g l c k a i; do
	for dev in parity0 lo; do take "ethtool-$option-$dev.txt" ethtool -$option $dev; done
done
take ethtool-parity0.txt ethtool parity0
dump second
stop_all
"$ND" facts dump --json --from "$text" >"$LAB_DIR/text.json"
python3 tests/lab/parity.py "$LAB_DIR/first.json" "$LAB_DIR/text.json" "$LAB_DIR/second.json" >"$LAB_DIR/said" || {
	cat "$LAB_DIR/said"
	fail "the tools' text gives other facts than the kernel"
}
cat "$LAB_DIR/said"
echo "PASS parity.sh"
