#!/bin/sh
# Generated hosts of 256, 512 and 1,024 CPUs with 2,500, 5,000 and 10,000 interfaces, two moments each: doubling the size at most
# doubles the time (and 15 %). Also what the largest takes. The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/bench/lib.sh
ND=${ND:-build/netdoctor}
scratch

# host DIR CPUS INTERFACES: counters that grew by a tenth between the moments 0 and 10.
host() {
	mkdir -p "$1"
	awk -v dir="$1" -v cpus="$2" -v ifaces="$3" '
	function moment(at, k,    c, i, out) {
		out = dir "/softnet_stat@" at
		for (c = 0; c < cpus; c++)
			printf "%08x %08x %08x 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 %08x\n",
				(1000000 + 37 * c) * k, 0, 3 * k, c >out
		close(out)
		out = dir "/stat@" at
		print "cpu  1 0 1 1 0 0 1 0 0 0" >out
		for (c = 0; c < cpus; c++)
			printf "cpu%d %d 0 %d %d 0 0 %d 0 0 0\n", c, 1000 * k, 300 * k, 9000 * k, 50 * k >out
		close(out)
		out = dir "/softirqs@" at
		row("", out, -1)
		row("NET_TX:", out, 10 * k)
		row("NET_RX:", out, 70000 * k)
		row("SCHED:", out, 90 * k)
		close(out)
		out = dir "/interrupts@" at
		row("", out, -1)
		for (i = 0; i < 64; i++)
			irq(30 + i, out, k, "PCI-MSI " 524288 + i "-edge eth" i % 8 "-rx-" int(i / 8))
		close(out)
		out = dir "/dev@" at
		print "Inter-|   Receive                                                |  Transmit\n face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed" >out
		for (i = 0; i < ifaces; i++)
			printf "%s%d: %d %d 0 %d 0 0 0 0 %d %d 0 0 0 0 0 0\n", i < 8 ? "eth" : "veth", i, 900000 * k, 1000 * k, k, 800000 * k, 900 * k >out
		close(out)
	}
	function row(name, out, v,    c) {
		printf "%12s", name >out
		for (c = 0; c < cpus; c++)
			if (v < 0) printf " CPU%-6d", c >out; else printf " %10d", v + c >out
		print "" >out
	}
	function irq(n, out, k, name,    c) {
		printf "%5d:", n >out
		for (c = 0; c < cpus; c++) printf " %10d", c == n % cpus ? 5000 * k : 0 >out
		print "  " name >out
	}
	BEGIN { moment(0, 10); moment(10, 11) }'
}

cpu_s() {
	/usr/bin/time -f '%U %S' -o "$tmp/time" "$ND" run --from "$1" --format json >"$tmp/report" 2>"$tmp/err"
	tail -n 1 "$tmp/time" | awk '{ print $1 + $2 }'
}

# An interrupt table of cpus rows and cpus columns would grow with the square: the number of interrupts stays.
host "$tmp/small" 256 2500
host "$tmp/middle" 512 5000
host "$tmp/large" 1024 10000
for _ in 1 2 3 4 5 6 7; do
	for size in small middle large; do cpu_s "$tmp/$size" >>"$tmp/$size.s"; done
done
a=$(median <"$tmp/small.s") b=$(median <"$tmp/middle.s") c=$(median <"$tmp/large.s")
echo "small_s $a middle_s $b large_s $c"
for pair in "$a $b" "$b $c"; do
	ratio=$(echo "$pair" | awk '{ print $2 / $1 }')
	echo "doubling $ratio"
	verdict "$(awk -v r="$ratio" 'BEGIN { print (r > 0 && r <= 2.3) }')" "doubling the size takes $ratio times as long, at most 2.3 is expected"
done
verdict "$("$ND" facts dump --from "$tmp/large" --only softnet | grep -c 'softnet.processed' | awk '{ print ($1 >= 1024) }')" "the large host's CPUs are read"
closing
