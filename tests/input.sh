#!/bin/sh
# Where input comes from: files whose names say nothing, archives of every kind, several captures in one run, and
# archives and texts that were made to harm. None of the latter may take more than 20 s of CPU time or 1 GB.
#
# usage: ND=build/netdoctor tests/input.sh      last line: N passed, N failed
set -u
cd "$(dirname "$0")/.." || exit 1
ND=$(realpath "${ND:-build/netdoctor}")
passed=0
failed=0
dir=$(mktemp -d)
chmod 755 "$dir"
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM HUP

seconds=20
bytes=1073741824
if grep -q __asan_init "$ND"; then
	seconds=300
	bytes=unlimited
fi

ok() { passed=$((passed + 1)); }
no() {
	failed=$((failed + 1))
	echo "not ok: $*"
	cut -c 1-200 "$dir/err" | head -n 4 | sed 's/^/    /'
}

# dump PATH…: facts that have a value, without where they came from
dump() {
	set -- "$@"
	n=$#
	while [ "$n" -gt 0 ]; do
		path=$1
		shift
		set -- "$@" --from "$path"
		n=$((n - 1))
	done
	prlimit --cpu="$seconds" --as="$bytes" "$ND" facts dump -q --json "$@" >"$dir/json" 2>"$dir/err"
	status=$?
	jq -S '[.[] | select(.input | not) | select(.relation or (.missing | not)) | del(.source, .reproduce, .detail)]' \
		"$dir/json" 2>/dev/null
	return "$status"
}
# remark PATTERN: dump said that of an input
remark() { jq -e --arg p "$1" 'any(.[]; .input and (.says | test($p)))' "$dir/json" >/dev/null; }
# same NAME: two dumps are equal and hold something
same() {
	if [ "$(jq length "$dir/a" 2>/dev/null || echo 0)" -gt 0 ] && cmp -s "$dir/a" "$dir/b"; then
		ok
	else
		no "$1: $(diff "$dir/a" "$dir/b" | head -n 3 | tr '\n' ' ')"
	fi
}

# ---- names that say nothing ----
# All that a collector can read must come out the same from a file called x17, or x17.txt. Left aside is what a name
# alone can tell: nstat's options, the interface of ethtool -S, a number by itself, a list without a heading, whether
# sockets without a state of their own are of UDP.
for file in tests/cases/*/* tests/hosts/*/*.txt tests/hosts/*/ethtool* tests/hosts/*/proc/net/* tests/hosts/*/proc/*; do
	base=${file##*/}
	[ -f "$file" ] || continue
	case $base in expect.yaml | nstat* | uptime* | uname* | conntrack-C* | *_dev_* | *counts* | *-wc.txt | cpu.* | ss-*u*p.txt | bond* | *-timeout*) continue ;; esac
	mkdir -p "$dir/right" "$dir/wrong"
	cp "$file" "$dir/right/$base"
	case $base in *.txt) cp "$file" "$dir/wrong/x17.txt" ;; *) cp "$file" "$dir/wrong/x17" ;; esac
	dump "$dir/right" >"$dir/a"
	if [ -s "$dir/a" ] && [ "$(jq length "$dir/a")" -gt 0 ]; then
		dump "$dir/wrong" | sed 's/unnamed[0-9]*/IF/g' >"$dir/b"
		if grep -q 'iface:IF"' "$dir/b"; then
			iface=$(echo "$base" | sed -n 's/^ethtool[-_]*[a-zA-Z]*[-_]\([a-z0-9]*\).*/\1/p')
			sed "s/${iface:-IF}/IF/g" "$dir/a" >"$dir/a.if" && mv "$dir/a.if" "$dir/a"
		fi
		same "$file called x17"
	fi
	rm -r "$dir/right" "$dir/wrong"
done

# ---- archives ----
for host in kernel-6.18 kernel-4.18; do
	dump "tests/hosts/$host" >"$dir/a"
	for kind in tar tar.gz tgz tar.xz tar.zst tar.bz2 zip; do
		archive=$dir/$host.$kind
		case $kind in
		tar) tar -C tests/hosts -cf "$archive" "$host" ;;
		tar.gz | tgz) tar -C tests/hosts -czf "$archive" "$host" ;;
		tar.xz) tar -C tests/hosts -cJf "$archive" "$host" ;;
		tar.zst) tar -C tests/hosts -cf - "$host" | zstd -q -o "$archive" ;;
		tar.bz2) command -v bzip2 >/dev/null || continue; tar -C tests/hosts -cjf "$archive" "$host" ;;
		zip) (cd tests/hosts && zip -qr "$archive" "$host") ;;
		esac
		dump "$archive" >"$dir/b"
		same "$host.$kind"
	done
	cp "$dir/$host.tar.gz" "$dir/no-name-at-all"
	dump "$dir/no-name-at-all" >"$dir/b"
	same "$host as an archive without an ending"
done
mkdir "$dir/nested"
cp "$dir/kernel-6.18.tar.xz" "$dir/nested/"
tar -C "$dir" -czf "$dir/nested.tgz" nested
dump tests/hosts/kernel-6.18 >"$dir/a"
dump "$dir/nested.tgz" >"$dir/b"
same "an archive in an archive"
gzip -c tests/cases/C068/netstat-s.txt >"$dir/netstat-s.txt.gz"
dump tests/cases/C068/netstat-s.txt >"$dir/a"
dump "$dir/netstat-s.txt.gz" >"$dir/b"
same "one compressed file"
tar -C tests/paste -czf "$dir/paste.tgz" banners.txt
dump tests/paste/banners.txt >"$dir/a"
dump "$dir/paste.tgz" >"$dir/b"
same "a pasted text in an archive"

# ---- several captures ----
# sos NAME HOST DATE PACKETS
sos() {
	root=$dir/sos/$1
	mkdir -p "$root/proc/net" "$root/sos_commands/date" "$root/sos_commands/host" "$root/sos_commands/networking"
	printf '%08x 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000\n' "$4" \
		>"$root/proc/net/softnet_stat"
	echo "$3" >"$root/sos_commands/date/date"
	echo "$2" >"$root/sos_commands/host/hostname"
	cp tests/cases/C004/ss-ltn.txt "$root/sos_commands/networking/ss_-peaonmi"
	tar -C "$dir/sos" -cJf "$dir/$1.tar.xz" "$1"
}
# fact JQ NAME: of the last dump
fact() { if jq -e "$1" "$dir/b" >/dev/null; then ok; else no "$2"; fi; }
sos sosreport-web1-2026-12-01-abc web1 'Tue Dec  1 03:00:00 UTC 2026' 1000
sos sosreport-web1-2026-12-01-def web1.example.com 'Tue Dec  1 03:10:00 UTC 2026' 7000
sos sosreport-db1-2026-12-01-ghi db1 'Tue Dec  1 03:20:00 UTC 2026' 9000
rate='any(.[]; .fact == "softnet.processed.rate" and .value == 10)'
dump "$dir/sosreport-web1-2026-12-01-abc.tar.xz" "$dir/sosreport-web1-2026-12-01-def.tar.xz" >"$dir/b"
fact "$rate" "two sosreports of a host: no rate"
dump "$dir/sosreport-web1-2026-12-01-def.tar.xz" "$dir/sos/sosreport-web1-2026-12-01-abc" >"$dir/b"
fact "$rate" "an archive and a folder: no rate"
rm -r "$dir/sos/sosreport-db1-2026-12-01-ghi"
dump "$dir/sos" >"$dir/b"
fact "$rate" "two sosreports in a folder: no rate"
dump "$dir/sosreport-web1-2026-12-01-abc.tar.xz" "$dir/sosreport-db1-2026-12-01-ghi.tar.xz" >"$dir/b"
fact 'all(.[]; .fact != "softnet.processed.rate") and any(.[]; .fact == "softnet.processed.total" and .value == 1000)' \
	"sosreports of two hosts were mixed"
if remark 'another host|of host db1'; then ok; else no "nothing is said of the other host"; fi

# moments in names: MOMENTS FIRST SECOND JQ
moments() {
	rm -rf "$dir/named"
	mkdir -p "$dir/named/$(dirname "$1")" "$dir/named/$(dirname "$2")"
	cp "tests/cases/C030/softnet_stat@0" "$dir/named/$1"
	cp "tests/cases/C030/softnet_stat@1" "$dir/named/$2"
	dump "$dir/named" >"$dir/b"
	fact "$3" "$1 and $2"
}
timed='any(.[]; .entity == "cpu:0" and .fact == "softnet.processed.rate" and .value == 8106.4)'
ordered='any(.[]; .entity == "cpu:0" and .fact == "softnet.processed.delta" and .basis == "interval" and .value == 81064) and
	all(.[]; .fact != "softnet.processed.rate")'
moments softnet_stat-20230105-101000.txt softnet_stat-20230105-101010.txt "$timed"
moments softnet_stat.2023-01-05T10:10:00 softnet_stat.2023-01-05T10:10:10 "$timed"
moments softnet_stat_1672913400 softnet_stat_1672913410 "$timed"
moments 2023-01-05_10-10-00/softnet_stat 2023-01-05_10-10-10/softnet_stat "$timed"
moments softnet_stat-before softnet_stat-after "$ordered"
moments softnet_stat_1.txt softnet_stat_2.txt "$ordered"
moments before/softnet_stat after/softnet_stat "$ordered"
moments proc/net/softnet_stat t1/proc/net/softnet_stat 'all(.[]; .fact != "softnet.processed.delta")'

# ---- made to harm ----
# harm NAME STATUS REMARK: from $dir/evil and a good file beside it: ends in time, says what is wrong, reads the rest
harm() {
	cp tests/cases/C004/netstat-s.txt "$dir/evil/netstat-s.txt"
	dump "$dir/evil" >"$dir/b"
	if [ "$status" != 0 ]; then
		no "$1: status $status"
	elif ! jq -e 'any(.[]; .fact == "tcp.listen_overflows.total" and .value == 3220)' "$dir/b" >/dev/null; then
		no "$1: the good file beside it was not read"
	elif [ -n "$2" ] && ! remark "$2"; then
		no "$1: nothing is said of it"
	else
		ok
	fi
	rm -rf "$dir/evil"
	mkdir "$dir/evil"
}
mkdir "$dir/evil"
# python TEXT…: makes archives that no tool would make
python() { (cd "$dir/evil" && python3 -c "$1"); }
python 'import tarfile, io
t = tarfile.open("evil.tar", "w")
for name in ("../../../../tmp/nd-evil", "/etc/nd-evil", "a/../../b", "ok/../../../snmp"):
    i = tarfile.TarInfo(name); i.size = 4; t.addfile(i, io.BytesIO(b"bad\n"))
t.close()'
harm "paths that lead out" 'leads out of the archive'
if [ -e /tmp/nd-evil ] || [ -e /etc/nd-evil ]; then no "a file was written outside"; else ok; fi
python 'import tarfile, io
t = tarfile.open("evil.tar", "w")
for n, (name, to) in enumerate((("snmp", "/etc/passwd"), ("netstat", "../../../../etc/passwd"), ("sockstat", "sockstat"), ("a", "b"), ("b", "a"))):
    i = tarfile.TarInfo(name); i.type = tarfile.SYMTYPE; i.linkname = to; t.addfile(i)
i = tarfile.TarInfo("interrupts"); i.type = tarfile.LNKTYPE; i.linkname = "/etc/shadow"; t.addfile(i)
i = tarfile.TarInfo("stat"); i.type = tarfile.CHRTYPE; i.devmajor, i.devminor = 1, 5; t.addfile(i)
i = tarfile.TarInfo("softirqs"); i.type = tarfile.FIFOTYPE; t.addfile(i)
t.close()'
harm "links, devices and fifos" ''
python 'import gzip
g = gzip.open("softnet_stat.gz", "wb", 1)
for i in range(3000): g.write(b"0" * (1 << 20))
g.close()'
harm "a bomb of 3 GB in one file" 'too large'
python 'import tarfile, io, gzip
class Zero(io.RawIOBase):
    def __init__(self, n): self.n = n
    def read(self, k=-1):
        k = min(k if k >= 0 else self.n, self.n); self.n -= k; return b"0" * k
t = tarfile.open("evil.tgz", "w:gz", compresslevel=1)
for name in ("a/proc/net/snmp", "b/proc/net/snmp"):
    i = tarfile.TarInfo(name); i.size = 1600 << 20; t.addfile(i, Zero(i.size))
t.close()'
harm "a bomb of two members" 'too large|more than 2 GB'
python 'import tarfile, io
i = tarfile.TarInfo("proc/net/snmp"); i.size = 10 << 30
f = open("evil.tar", "wb"); f.write(i.tobuf()); f.truncate(f.tell() + (10 << 30)); f.close()'
harm "a member of 10 GB that is all hole" 'too large|not read to its end'
python 'import tarfile, io, zipfile
b = b"end"
for depth in range(12):
    o = io.BytesIO(); t = tarfile.open(fileobj=o, mode="w:gz"); i = tarfile.TarInfo("x.tgz"); i.size = len(b)
    t.addfile(i, io.BytesIO(b)); t.close(); b = o.getvalue()
open("evil.tgz", "wb").write(b)'
harm "archives in archives, 12 deep" 'an archive in an archive'
python 'import zipfile
z = zipfile.ZipFile("evil.zip", "w", zipfile.ZIP_DEFLATED)
for i in range(60000): z.writestr("many/%d/ss" % i, "x\n")
z.close()'
harm "60,000 members" 'too many files'
tar -C tests/hosts -czf "$dir/evil/whole.tgz" kernel-6.18
head -c 4000 "$dir/evil/whole.tgz" >"$dir/evil/cut.tgz"
rm "$dir/evil/whole.tgz"
harm "an archive that was cut" 'not read to its end|damaged'
{ printf '\037\213' && head -c 100000 /dev/zero; } >"$dir/evil/evil.gz"
harm "the magic of gzip and nothing of it" ''
{ printf 'PK\003\004' && head -c 100000 /dev/urandom; } >"$dir/evil/evil.zip"
harm "the magic of zip and nothing of it" ''
{ head -c 257 /dev/zero && printf 'ustar' && head -c 100000 /dev/urandom; } >"$dir/evil/evil.tar"
harm "the magic of tar and nothing of it" ''
head -c 30000000 /dev/zero | tr '\0' x >"$dir/evil/line.txt"
harm "a line of 30 MB" ''
awk 'BEGIN { for (i = 0; i < 300000; i++) print "root@h:~# ss -tin" }' >"$dir/evil/prompts.txt"
harm "300,000 prompts" ''
awk 'BEGIN { for (i = 0; i < 300000; i++) print "```" }' >"$dir/evil/fences.txt"
harm "300,000 fences" ''
awk 'BEGIN { for (i = 0; i < 100000; i++) { print "$ netstat -s | grep x; sleep 1; netstat -s"; print "Tcp:"; print "  1 segments retransmitted" } }' >"$dir/evil/same.txt"
harm "100,000 outputs of one command" ''
awk 'BEGIN { for (i = 0; i < 200; i++) printf "$ sh -c '\''sudo sudo sudo "; print "" ; for (i = 0; i < 100000; i++) printf "sudo "; print "ss" }' >"$dir/evil/shell.txt"
harm "a command line without an end" ''
awk 'BEGIN { printf "# "; for (i = 0; i < 500000; i++) printf "*"; print ""; for (i = 0; i < 50000; i++) print "================================ ss -s =====" }' >"$dir/evil/banner.txt"
harm "50,000 banners" ''
awk 'BEGIN { print "$ for i in 1 2; do ss -s; done"; for (i = 0; i < 200000; i++) { print "Total: 1"; print "a"; print "b" } }' >"$dir/evil/rounds.txt"
harm "200,000 rounds of a loop" ''
printf '\377\376T\0c\0p\0E\0x\0t\0:\0\r\0\n\0 \0' >"$dir/evil/wide.txt"
harm "UTF-16 that ends in the middle" ''

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
