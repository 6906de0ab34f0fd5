#!/bin/sh
# Writes first inputs for the fuzz targets from what the tests have anyway: seeds.sh DIR makes DIR/TARGET/* and
# DIR/words.dict. The corpus beside this script holds only what was made by hand or found.
set -eu
cd "$(dirname "$0")/../.."
out=${1:?usage: seeds.sh DIR}
rm -rf "$out"
mkdir -p "$out/yaml" "$out/expr" "$out/pattern" "$out/rule" "$out/input" "$out/paste" "$out/capture" "$out/pcap"

# byte N: one byte of that value
byte() {
	# shellcheck disable=SC2059 # the format is the octal escape
	printf "\\$(printf %03o "$1")"
}

# The first byte of an input for fuzz_input.c, as its hash() counts.
hash() { printf %s "$1" | od -An -v -tu1 | awk '{ for (i = 1; i <= NF; i++) h = (h * 31 + $i) % 256 } END { print h + 0 }'; }

# seed PATTERN ARGUMENT FILE…: the files are moments of one input
n=0
seed() {
	code=$(hash "$1")
	arg=$2
	shift 2
	[ -e "$1" ] || return 0
	n=$((n + 1))
	{
		byte "$code"
		byte "$arg"
		cat "$1"
		shift
		for moment in "$@"; do
			byte 30
			cat "$moment"
		done
	} >"$out/input/seed$n"
}

# each PATTERN ARGUMENT FILE…: the files are inputs of their own
each() {
	pattern=$1
	arg=$2
	shift 2
	for file in "$@"; do seed "$pattern" "$arg" "$file"; done
}

cases=tests/cases
hosts=tests/hosts
for host in "$hosts"/*; do
	for file in net/snmp net/netstat net/snmp6 net/dev net/softnet_stat net/sockstat net/stat/nf_conntrack softirqs \
		interrupts stat uptime version; do
		seed "/proc/$file" 0 "$host/proc/$file"
	done
done
each '/proc/net/softnet_stat' 0 "$cases"/*/softnet_stat
each '/proc/interrupts' 0 "$cases"/*/interrupts
seed '/proc/net/softnet_stat' 0 "$cases/C030/softnet_stat@0" "$cases/C030/softnet_stat@1"
seed '/proc/softirqs' 0 "$cases/C030/softirqs@0" "$cases/C030/softirqs@1"
seed '/proc/interrupts' 0 "$cases/C030/interrupts@0" "$cases/C030/interrupts@1"
seed 'conntrack -S' 0 "$cases/C013/conntrack-S.txt@0" "$cases/C013/conntrack-S.txt@120"
each 'conntrack -S' 0 "$hosts"/*/conntrack-S.txt "$cases/C006/conntrack-S.txt"
each 'conntrack -C' 0 "$hosts"/*/conntrack-C.txt
each '/proc/sys/net/netfilter/nf_conntrack_count' 0 "$hosts"/*/conntrack-C.txt
each '/proc/sys/net/netfilter/nf_conntrack_max' 0 "$hosts"/*/conntrack-C.txt
each 'netstat -s' 0 "$hosts"/*/netstat-s.txt "$cases"/*/netstat-s.txt
each 'netstat -i' 0 "$cases"/*/netstat-i.txt
each 'nstat' 0 "$hosts"/*/nstat-az.txt "$cases"/*/nstat-az.txt
each 'nstat' 128 "$cases"/*/nstat-az.txt
each 'tcpdump' 0 "$cases"/*/tcpdump*.txt
each 'sysctl -a' 0 "$hosts"/*/sysctl-a.txt "$cases"/*/sysctl-a.txt
each 'ss' 0 "$hosts"/*/ss*.txt "$cases"/*/ss*.txt
each 'ip link' 0 "$hosts"/*/ip*link.txt
each 'ifconfig' 0 "$cases"/*/ifconfig.txt
each 'tc qdisc' 0 "$hosts"/*/tc*.txt "$cases"/*/tc*.txt
each 'ethtool -i *' 0 "$hosts"/*/ethtool_-i_*
each 'ethtool -S *' 0 "$hosts"/*/ethtool_-S_* "$cases"/*/ethtool-S-*
each 'ethtool -g *' 0 "$hosts"/*/ethtool_-g_* "$cases"/*/ethtool-g-*
each 'ethtool -l *' 0 "$hosts"/*/ethtool_-l_*
each 'ethtool *' 0 "$hosts"/*/ethtool_eth*

# Texts with outputs in them, and archives of some; the first byte names the file.
n=0
for file in tests/paste/*.txt tests/paste/*.md; do
	n=$((n + 1))
	{ byte 0 && cat "$file"; } >"$out/paste/text$n"
done
for host in "$hosts"/*; do
	n=$((n + 1))
	{ byte 0 && tar -C "$host" -cf - proc; } >"$out/paste/tar$n"
	{ byte 0 && tar -C "$host" -czf - proc/net; } >"$out/paste/tgz$n"
	{ byte 0 && tar -C "$host" -cJf - proc/net; } >"$out/paste/txz$n"
done

# One line of each sort of a capture's facts, and what this host says, where the program is built.
printf 'netdoctor-facts\t1\t0.1.0\th\t\t\t0\t1\t0\tnot-sampled\ne\thost\t\ne\tsymptom\t\ne\tcpu\t0\ne\tnetns\thost\n%s\n%s\n%s\n' \
	'k	cpu	1	present	' 'v	2	softnet.dropped	value	/proc/net/softnet_stat	1	2	1	1000000001	0	7	3	0x1p+1' \
	'G	1	present	' >"$out/capture/seed1"
if [ -x "${ND:-build/netdoctor}" ] && "${ND:-build/netdoctor}" collect -q --duration 0.1 -o "$out/c.tar.gz" >/dev/null 2>&1; then
	tar -xzOf "$out/c.tar.gz" netdoctor-capture/facts | awk '{ seen[substr($0, 1, 2)]++ } seen[substr($0, 1, 2)] <= 40' >"$out/capture/seed2"
	rm "$out/c.tar.gz"
fi

# A rule file must be called as its rule: the target's file is fuzz.yaml. Also each with its first test alone.
n=0
for file in rules/*.yaml rules/lib/*.yaml; do
	n=$((n + 1))
	sed 's/^\(rule\|library\): .*/\1: fuzz/' "$file" >"$out/rule/seed$n"
	awk '/^tests:/ { tests = 1 } tests && /^  - name:/ && ++seen > 1 { exit } { print }' \
		"$out/rule/seed$n" >"$out/rule/short$n"
	cp "$file" "$out/yaml/rule$n"
done
for file in "$cases"/*/expect.yaml; do
	n=$((n + 1))
	cp "$file" "$out/yaml/case$n"
done

# Tests and lets of rules, each for some kinds of entities: the byte is the kind's place in kinds.def, + 19 for a range,
# + 38 for a text with holes.
n=0
sed -n 's/^ *\(- \)\{0,1\}\(test\|when\|value\|delay\|touches\|share\|verify\|[a-z_]*\): *\([^ #{>|"].*\)$/\3/p' rules/*.yaml rules/lib/*.yaml |
	grep '[.(<>=]' | sed "s/ *#.*//; s/^'\(.*\)'\$/\1/" | sort -u >"$out/expr.lines"
while IFS= read -r text; do
	for kind in 0 3 4 9 10; do
		n=$((n + 1))
		{ byte $kind && printf %s "$text"; } >"$out/expr/seed$n"
	done
done <"$out/expr.lines"
sed -n 's/^ *\(- \)\{0,1\}[a-z_]*: *"\(.*{.*\)" *$/\2/p' rules/*.yaml | sort -u >"$out/text.lines"
while IFS= read -r text; do
	n=$((n + 1))
	{ byte $((38 + n % 12)) && printf %s "$text"; } >"$out/expr/text$n"
done <"$out/text.lines"
rm "$out/expr.lines" "$out/text.lines"

# Patterns of rules, with lines of a kernel log.
n=0
grep -ho "[=!]~ '[^']*'\|: '[^']*(?<[^']*'" rules/*.yaml | sed "s/^[^']*'//; s/'\$//" | sort -u | while IFS= read -r text; do
	n=$((n + 1))
	printf '%s\n%s\n%s\n' "$text" 'nf_conntrack: nf_conntrack: table full, dropping packet' \
		'eth0: NETDEV WATCHDOG: CPU: 1: transmit queue 0 timed out 5000 ms' >"$out/pattern/seed$n"
done

{
	grep -ho '[a-z_][a-z_.]*[a-z]' rules/*.yaml rules/lib/*.yaml
	grep -ho '[=!<>]=\|\.\.\|=~\|: \|  - \|: >-\|{{\|}}\||' rules/*.yaml
} | sort | uniq -c | sort -rn | awk 'NR <= 900 && length($2) < 40 { sub(/^ *[0-9]* /, ""); print "\"" $0 "\"" }' >"$out/words.dict"
