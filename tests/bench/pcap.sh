#!/bin/sh
# A capture of more than 1 GB and 5 million packets, made here and removed: our time against tshark, which computes its
# tcp.analysis fields, and against tcptrace, in turn and by medians; and our peak memory. Where one of them is not
# installed it is left out. PACKETS=, RUNS=, TMPDIR= choose others; SHARE= is how many times faster than tshark, which
# is ended once it has taken that long.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/bench/lib.sh
ND=${ND:-build/netdoctor}
PACKETS=${PACKETS:-5200000}
RUNS=${RUNS:-3}
SHARE=${SHARE:-20}
MEMORY_KIB=65536
scratch

once() { # NAME COMMAND…
	name=$1
	shift
	"$tmp/pcapgen" time "$@" >>"$tmp/$name"
}
wall() { awk '{ print $1 }' "$tmp/$1" | median; }

free=$(df -Pk "$tmp" | awk 'NR == 2 { print $4 }')
[ "$free" -gt 2000000 ] || {
	echo "less than 2 GB free in $tmp: not run"
	exit 77
}
${CC:-cc} -std=gnu11 -O2 -o "$tmp/pcapgen" tests/bench/pcap/pcapgen.c || exit 1
"$tmp/pcapgen" make "$PACKETS" >"$tmp/big.pcap" || exit 1
echo "bytes $(wc -c <"$tmp/big.pcap")"
echo "packets $PACKETS"
i=0
while [ $i -lt "$RUNS" ]; do
	i=$((i + 1))
	once ours "$ND" run --pcap "$tmp/big.pcap"
	command -v tcptrace >/dev/null && once tcptrace tcptrace -l -r "$tmp/big.pcap"
	last=$(tail -n 1 "$tmp/ours" | cut -d ' ' -f 1)
	command -v tshark >/dev/null && once tshark timeout $((last * (SHARE + 2) / 1000 + 2)) tshark -n -r "$tmp/big.pcap" -T fields -e tcp.analysis.retransmission \
		-e tcp.analysis.fast_retransmission -e tcp.analysis.ack_rtt
done
ours=$(wall ours)
peak=$(awk '{ print $2 }' "$tmp/ours" | sort -n | tail -n 1)
echo "ours_ms $ours"
echo "ours_peak_kib $peak"
[ "$peak" -lt $MEMORY_KIB ]
verdict $((! $?)) "peak memory is $peak KiB, less than $MEMORY_KIB is expected"
if [ -s "$tmp/tcptrace" ]; then
	echo "tcptrace_ms $(wall tcptrace)"
	[ "$ours" -le "$(wall tcptrace)" ]
	verdict $((! $?)) "slower than tcptrace"
fi
if [ -s "$tmp/tshark" ]; then
	echo "tshark_ms $(wall tshark)"
	[ $((ours * SHARE)) -le "$(wall tshark)" ]
	verdict $((! $?)) "not $SHARE times faster than tshark"
fi
closing
