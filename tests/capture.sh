#!/bin/sh
# Captures: judged elsewhere they say what the run on the host said; redacted they hold no original; damaged they
# are refused. Measures this host for a few seconds.
#
# usage: ND=build/netdoctor tests/capture.sh      last line: N passed, N failed
set -u
cd "$(dirname "$0")/.." || exit 1
ND=${ND:-build/netdoctor}
passed=0
failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM HUP

ok() { passed=$((passed + 1)); }
no() {
	failed=$((failed + 1))
	echo "not ok: $*"
}

# ---- the same again ----
"$ND" run -q --duration 2 --save "$dir/live.nd.tar.gz" --format json >"$dir/live.json" 2>"$dir/err"
status=$?
case $status in 0 | 1 | 3) ok ;; *) no "run --save: status $status: $(head -n 1 "$dir/err")" ;; esac
"$ND" run -q --from "$dir/live.nd.tar.gz" --format json >"$dir/replay.json" 2>"$dir/err"
again=$?
if [ "$again" = "$status" ]; then ok; else no "replay: status $again, live it was $status: $(head -n 1 "$dir/err")"; fi
for key in verdict symptom findings coverage ruled_out open notes contradictions started ended host window_s inputs; do
	jq ".$key" "$dir/live.json" >"$dir/a"
	jq ".$key" "$dir/replay.json" >"$dir/b"
	if [ -s "$dir/a" ] && cmp -s "$dir/a" "$dir/b"; then ok; else no "$key differs: $(diff "$dir/a" "$dir/b" | head -n 3 | tr '\n' ' ')"; fi
done
if [ "$(jq -r .source "$dir/replay.json")" = bundle ]; then ok; else no "source is not bundle"; fi
if [ "$(stat -c %a "$dir/live.nd.tar.gz")" = 600 ]; then ok; else no "others may read a capture"; fi

# ---- in pieces ----
mkdir "$dir/unpacked"
tar -C "$dir/unpacked" -xzf "$dir/live.nd.tar.gz"
"$ND" run -q --from "$dir/unpacked" --format json 2>/dev/null | jq .findings >"$dir/b"
jq .findings "$dir/live.json" >"$dir/a"
if cmp -s "$dir/a" "$dir/b"; then ok; else no "unpacked it says something else"; fi
# the raw files alone are a recorded folder with several moments
if "$ND" facts dump -q --json --from "$dir/unpacked/netdoctor-capture/raw" 2>/dev/null |
	jq -e 'any(.[]; .fact == "softnet.processed.rate")' >/dev/null; then
	ok
else
	no "the raw files have no rate"
fi

# ---- collect ----
if "$ND" collect -q --duration 1 -o "$dir/c.nd.tar.gz" >"$dir/out" 2>"$dir/err"; then ok; else no "collect: $(head -n 1 "$dir/err")"; fi
"$ND" run -q --from "$dir/c.nd.tar.gz" >/dev/null 2>"$dir/err"
case $? in 0 | 1 | 3) ok ;; *) no "a collected capture: $(head -n 1 "$dir/err")" ;; esac
"$ND" collect -q --duration 1 >/dev/null 2>&1
if [ $? = 2 ]; then ok; else no "collect without -o"; fi
"$ND" run -q --from "$dir/c.nd.tar.gz" --save "$dir/d.nd.tar.gz" >/dev/null 2>&1
if [ $? = 2 ]; then ok; else no "--save with --from"; fi

# ---- redacted ----
"$ND" collect -q --redact --duration 1 -o "$dir/r.nd.tar.gz" >/dev/null 2>"$dir/err" || no "collect --redact: $(head -n 1 "$dir/err")"
gzip -dc "$dir/r.nd.tar.gz" >"$dir/r.tar"
{
	ip -o addr 2>/dev/null | sed -n 's/.* inet6\{0,1\} \([0-9a-f.:]*\)[/ ].*/\1/p'
	ip -o link 2>/dev/null | sed -n 's/.*link\/ether \([0-9a-f:]*\).*/\1/p'
	ip route show default 2>/dev/null | sed -n 's/.*via \([0-9.]*\).*/\1/p'
	ss -Htan 2>/dev/null | awk '{ print $4; print $5 }' | sed 's/:[0-9*]*$//; s/^\[\(.*\)\]$/\1/; s/%.*//; s/^::ffff://'
	hostname
	getent passwd | awk -F: '$3 >= 1000 && $1 != "nobody" { print $1 }'
} | sort -u | grep -Ev '^(127\..*|0\.0\.0\.0|::1?|\*|localhost|..?)$' >"$dir/originals"
while read -r original; do
	if grep -aqiwF -- "$original" "$dir/r.tar"; then no "$original is left in a redacted capture"; else ok; fi
done <"$dir/originals"
"$ND" run -q --from "$dir/r.nd.tar.gz" >/dev/null 2>"$dir/err"
case $? in 0 | 1 | 3) ok ;; *) no "a redacted capture: $(head -n 1 "$dir/err")" ;; esac

# ---- damaged ----
facts=$dir/unpacked/netdoctor-capture/facts
rm -r "$dir/unpacked/netdoctor-capture/raw"
cp "$facts" "$dir/facts"
# damaged NAME: refused with status 4 and the line, and no crash
damaged() {
	"$ND" run -q --from "$dir/unpacked" >/dev/null 2>"$dir/err"
	rc=$?
	if [ $rc = 4 ] && grep -q "facts is damaged" "$dir/err"; then ok; else no "$1: status $rc: $(head -n 1 "$dir/err")"; fi
	cp "$dir/facts" "$facts"
}
head -c 5000 "$dir/facts" >"$facts"
damaged "facts that were cut"
sed 's/^netdoctor-facts	1/netdoctor-facts	9/' "$dir/facts" >"$facts"
damaged "facts of another version"
{ cat "$dir/facts" && printf 'v\t4294967295\tuptime\tvalue\t\t0\t1\t0\t0\t0\t1\t1\t1\t1\t1\n'; } >"$facts"
damaged "an entity that is not there"
{ cat "$dir/facts" && printf 'v\t0\tuptime\tvalue\t\t0\t1\t0\t0\t0\tinf\tnan\t1\t1\t1\n'; } >"$facts"
damaged "a number that is none"
{ cat "$dir/facts" && printf 'l\t0\tlistener.netns\t7\tpresent\t\n'; } >"$facts"
damaged "a relation with a third side"
{ cat "$dir/facts" && head -c 200000 /dev/zero | tr '\0' '\t' && echo; } >"$facts"
damaged "a line of 200,000 fields"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
