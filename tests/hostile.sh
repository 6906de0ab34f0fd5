#!/bin/sh
# Rules that were written to harm: bombs of YAML, of expressions, of patterns, rules that need themselves. Each gets
# a message with file, line and column, or an honest "budget", within 1 s of CPU time and 200 MB, and never a crash.
#
# usage: ND=build/netdoctor tests/hostile.sh      last line: N passed, N failed
set -u
cd "$(dirname "$0")/.." || exit 1
ND=${ND:-build/netdoctor}
passed=0
failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM HUP
file=$dir/hostile.yaml

# Sanitizers need terabytes of addresses and several times the time.
seconds=1
bytes=209715200
if grep -q __asan_init "$ND"; then
	seconds=10
	bytes=unlimited
fi

ok() { passed=$((passed + 1)); }
no() {
	failed=$((failed + 1))
	echo "not ok: $*"
	cut -c 1-200 "$dir/err" "$dir/out" | head -n 6 | sed 's/^/    /'
}
# call ARGUMENTS…: within the limits; leaves $rc, out and err.
call() {
	rc=0
	timeout 60 prlimit --cpu="$seconds" --as="$bytes" "$ND" "$@" >"$dir/out" 2>"$dir/err" </dev/null || rc=$?
}
# refused NAME PATTERN: lint refuses the file with a place, the reason, its line and a caret.
refused() {
	call rules lint "$file"
	if [ "$rc" != 4 ]; then
		no "$1: status $rc, expected 4"
	elif ! grep -Eq "^$dir/hostile\.yaml:[0-9]+:[0-9]+: error: .*($2)" "$dir/out"; then
		no "$1: no place with '$2'"
	elif ! grep -Eq '^ *\^$' "$dir/out"; then
		no "$1: no caret"
	elif [ "$(wc -c <"$dir/out")" -gt 200000 ]; then
		no "$1: $(wc -c <"$dir/out") bytes of messages"
	else
		ok
	fi
}
# accepted NAME: it is hostile, but a rule.
accepted() {
	call rules lint "$file"
	case $rc in 0 | 4) ok ;; *) no "$1: status $rc of lint" ;; esac
	call rules list --rules "$file"
	if [ "$rc" = 0 ]; then ok; else no "$1: status $rc, expected 0"; fi
}
# many N TEXT: N times, without a newline.
many() { awk -v n="$1" -v text="$2" 'BEGIN { while (n-- > 0) printf "%s", text }'; }

# rule TEST [LETS]: a whole rule around one question; lets are lines "name: expression".
rule() {
	cat <<-END
		version: 1
		rule: hostile
		title: A rule that was written to harm
		scope: iface
	END
	[ $# -lt 2 ] || printf 'let:\n%s\n' "$2" | sed '2,$s/^/  /'
	cat <<-END
		tree:
		  - ask: Is it so?
		    test: $1
		    grade: decides
		    if_no: {rule_out: it is not}
		    if_unknown: open
		  - conclude: hostile
		causes:
		  hostile:
		    title: "It is so on {iface}"
		    because: It is so.
		tests:
		  - name: so
		    given: {iface:eth0: {driver: x, mtu: 1500B}}
		    expect: {cause: hostile}
		  - name: not so
		    given: {iface:eth0: {driver: y, mtu: 0B}}
		    expect: {cause: none}
		  - name: nobody knows
		    given: {iface:eth0: {driver: {missing: no-permission}, mtu: {missing: no-permission}}}
		    expect: {open: hostile}
	END
}

# ---- YAML ----
{
	echo 'a: &a [x,x,x,x,x,x,x,x,x]'
	last=a
	for name in b c d e f g h i; do
		echo "$name: &$name [*$last,*$last,*$last,*$last,*$last,*$last,*$last,*$last,*$last]"
		last=$name
	done
} >"$file"
refused "a billion laughs" 'anchors are refused'
printf 'rule: hostile\na: [*b, *b]\n' >"$file"
refused "an alias" 'aliases are refused'
printf 'rule: hostile\nbase: {x: 1}\na: {<<: {x: 2}}\n' >"$file"
refused "a merge key" "'<<' is refused"
printf 'rule: !!binary aG9zdGlsZQ==\n' >"$file"
refused "a tag" 'tags are refused'
printf '%%TAG ! tag:evil,2000:\n---\nrule: hostile\n' >"$file"
refused "a tag directive" 'tags are refused'
{ printf 'a: ' && many 10000 '[' && many 10000 ']' && echo; } >"$file"
refused "10,000 lists in lists, flow" 'levels deep'
{ printf 'a: ' && many 10000 '{a: ' && many 10000 '}' && echo; } >"$file"
refused "10,000 maps in maps, flow" 'levels deep'
{ printf 'a: ' && many 10000 '['; } >"$file"
refused "10,000 lists that nobody closes" 'levels deep'
{ many 10000 '- ' && echo x; } >"$file"
refused "10,000 lists in lists, block, in a line" 'levels deep'
awk 'BEGIN { for (i = 0; i < 1400; i++) { printf "%*sa:\n", i, "" } }' >"$file"
refused "1,400 maps in maps, block" 'levels deep'
awk 'BEGIN { for (i = 0; i < 10000; i++) { printf "%*sa:\n", i, "" } }' >"$file"
refused "10,000 maps in maps, block: 50 MB" 'bytes: a file has 1048576 at most'
{ printf 'rule: hostile\ntitle: "' && many 10485760 x && echo '"'; } >"$file"
refused "a text of 10 MB" 'a file has 1048576 at most'
{ printf 'rule: hostile\ntitel: "' && many 1000000 x && echo '"'; } >"$file"
refused "a text of 1 MB" 'unknown key "titel"'
{ printf 'rule: hostile\ntitel: |\n' && many 100000 '  line
'; } >"$file"
refused "a block of 100,000 lines" 'unknown key "titel"'
{ printf 'rule: hostile\ntitel: "' && many 170000 '\\u0041' && echo '"'; } >"$file"
refused "170,000 escapes" 'unknown key "titel"'
{ printf 'rule: hostile\n' && many 100 ' ' && many 300000 '?
'; } >"$file"
refused "300,000 key marks" 'nodes|keys?|indent|simple key|duplicate|text'
{ printf 'a: [' && many 300000 'x,' && echo ']'; } >"$file"
refused "300,000 members" 'more than 20000 nodes'
awk 'BEGIN { for (i = 0; i < 9000; i++) print "key" i ": x" }' >"$file"
refused "9,000 unknown keys" 'rule: NAME|unknown key|no key'
awk 'BEGIN { print "rule: hostile"; for (i = 0; i < 9000; i++) print "key" i ": x" }' >"$file"
refused "a rule with 9,000 unknown keys" 'key'
{ printf '#' && many 500000 x && echo && awk 'BEGIN { print "rule: hostile"; for (i = 0; i < 9000; i++) print "key" i ": x" }'; } >"$file"
refused "9,000 mistakes behind a comment of 500,000 characters" 'more mistakes follow'
awk 'BEGIN { for (i = 0; i < 9000; i++) print "a: x" }' >"$file"
refused "9,000 equal keys" "second key 'a'"
printf 'rule: hostile\n---\nrule: hostile\n' >"$file"
refused "two documents" 'a second document'
printf 'rule: hostile\ntitle: "a\\0b"\n' >"$file"
refused "an escaped character 0" 'character 0'
printf 'rule: hostile\ntitle: a\0b\n' >"$file"
refused "a byte of value 0" 'control character'
printf 'rule: hostile\ntitle: "\377\376"\n' >"$file"
refused "bytes that are no UTF-8" 'UTF-8'
printf '\377\376r\0u\0l\0e\0' >"$file"
refused "UTF-16" 'UTF-8|control character'
printf 'rule: hostile\ntitle: a\342\200\250b\n' >"$file"
refused "an invisible line break" 'invisible line break'
head -c 100000 /dev/zero >"$file"
refused "100,000 zero bytes" 'control character'
: >"$file"
refused "an empty file" 'the file is empty'
printf '\357\273\277' >"$file"
refused "a byte order mark alone" 'the file is empty'
printf 'rule: hostile\ntitle: [\033]0;x\007]\n' >"$file"
refused "escape sequences for the terminal" 'control character'
if grep -q "$(printf '\033')" "$dir/err"; then no "escape sequences reach the terminal"; else ok; fi

# ---- expressions ----
rule "this.mtu > 100B" >"$file"
accepted "a harmless rule"
rule "$(many 10000 '(')this.mtu > 100B$(many 10000 ')')" >"$file"
refused "10,000 parentheses" 'longer than 4096 bytes'
rule "$(many 2000 '(')this.mtu > 100B$(many 2000 ')')" >"$file"
refused "2,000 parentheses" 'more than 64 levels deep'
rule "$(many 1300 'not ')true" >"$file"
refused "10,000 characters of not" 'longer than 4096 bytes'
rule "$(many 1000 'not ')true" >"$file"
refused "1,000 times not" 'more than 64 levels deep'
rule "0 < $(many 4000 -)1" >"$file"
refused "4,000 minus signs" 'more than 64 levels deep'
rule "this.mtu$(many 2000 ' + 1B') > 100" >"$file"
refused "2,000 sums" 'longer than 4096 bytes'
rule "this.mtu$(many 700 ' + 1B') > 100" >"$file"
refused "700 sums" 'more than 64 levels deep'
rule "this.mtu > 100B$(many 500 ' or true')" >"$file"
refused "500 times or" 'more than 64 levels deep'
rule "$(many 300 'max(')this.mtu$(many 300 ', 0B)') > 100" >"$file"
refused "300 calls in calls" 'more than 64 levels deep'
rule "max($(many 1300 '1, ')this.mtu) > 100" >"$file"
refused "1,300 arguments" '1301 arguments'
rule "any(cpus$(many 1000 '[1]'))" >"$file"
refused "1,000 filters" 'more than 64 levels deep|error'
rule "this$(many 1000 '.qdiscs') > 100" >"$file"
refused "a path of 1,000 steps" '.'
rule "this.$(many 4000 x) > 100" >"$file"
refused "a name of 4,000 characters" '.'
rule "this.mtu > $(many 400 9)" >"$file"
refused "a number of 400 digits" 'number is too large'
rule "this.mtu > 1e999" >"$file"
refused "an exponent" 'no exponent'
rule "this.mtu > 9$(many 300 0)B * 9$(many 300 0)" >"$file"
accepted "numbers beyond infinity"
rule "this.mtu / (this.mtu - this.mtu) > 10" >"$file"
accepted "division by zero"
rule "this.driver == \"$(many 3000 x)" >"$file"
refused "a text without its end" 'closing|quote'
rule "this.mtu > 100B and $(many 600 "'\"'")" >"$file"
refused "600 quotes" '.'

# ---- lets and derived facts ----
lets() { awk -v n="$1" -v part="$2" -v last="$3" 'BEGIN {
	for (i = 1; i < n; i++) { line = part; gsub(/NEXT/, "$x" i + 1, line); print "x" i ": " line }
	print "x" n ": " last }'; }
# A let may cost 60 levels of its own.
deep=$(many 60 'max(')NEXT$(many 60 ', 0B)')
rule "\$x1 > 100B" "$(lets 64 "$deep" this.mtu)" >"$file"
accepted "64 deep lets in a chain"
call rules test "$file"
if [ "$rc" = 0 ] && grep -q '^3 passed, 0 failed$' "$dir/out"; then ok; else no "the tests of 64 deep lets: status $rc"; fi
rule "\$x1 > 100B" "$(lets 66 NEXT this.mtu)" >"$file"
refused "66 lets in a chain" 'more than 64 lets'
rule "\$x1 > 100B" "$(lets 4000 NEXT this.mtu)" >"$file"
refused "4,000 lets in a chain" 'more than 64 lets'
rule "\$x1 > 100B" "$(lets 1500 "$deep" this.mtu)" >"$file"
refused "1,500 deep lets in a chain" 'more than 64 lets'
rule "\$x1 > 100B" "$(lets 4000 NEXT this.mtu | sort -t x -k 2nr)" >"$file"
refused "4,000 lets in a chain, the last one first" 'more than 64 lets'
rule "\$x1 > 100B" "$(lets 60 'NEXT + NEXT' this.mtu)" >"$file"
refused "60 lets that each double" 'more than 10,000 operations'
rule "\$x1 > 100B" "$(lets 60 'NEXT + 1B' "\$x1")" >"$file"
refused "60 lets in a circle" 'needs itself'
rule "\$x1 > 100B" "x1: \$x1" >"$file"
refused "a let that needs itself" 'needs itself'
cat >"$file" <<'END'
library: hostile
derive:
  iface.one: {value: iface.two, doc: needs two}
  iface.two: {value: iface.three + 1, doc: needs three}
  iface.three: {value: "max(iface.one, 1)", doc: needs one}
END
refused "derived facts in a circle" 'needs itself'
printf 'library: hostile\nderive:\n  host.x: {value: host.x, doc: needs itself}\n' >"$file"
refused "a derived fact that needs itself" 'needs itself'
# derived N OPERATOR: host.x1 needs host.x2 twice, and so on.
derived() { awk -v n="$1" -v op="$2" 'BEGIN { print "library: hostile\nderive:"
	for (i = 1; i < n; i++) print "  host.x" i ": {value: \"" (op ? "host.x" i + 1 op : "") "host.x" i + 1 "\", doc: x}"
	print "  host.x" n ": {value: host.window, doc: x}" }'; }
derived 60 ' + ' >"$file"
refused "60 derived facts that each double" 'more than 10,000 operations'
derived 64 '' >"$file"
accepted "64 derived facts in a chain"
derived 3000 '' >"$file"
refused "3,000 derived facts in a chain" 'more than 64 lets'

# ---- trees ----
rule true >"$file"
sed 's/if_no: .*/if_no: {go: again}/; s/^causes:/branches: {again: [{ask: Again?, test: this.mtu > 10B, if_no: {go: again}}, {conclude: hostile}]}\n&/' "$file" >"$file.new"
mv "$file.new" "$file"
refused "a branch that goes to itself" 'circle|itself|again'
rule true | sed '/^causes:/,$d; s/if_no: .*/if_no: {go: b1}/; s/if_unknown: .*/if_unknown: {go: b1}/' >"$file"
awk 'BEGIN { print "branches:"
	for (i = 1; i <= 60; i++) {
		to = i < 60 ? "{go: b" i + 1 "}" : "open"
		print "  b" i ": [{ask: Q?, test: this.mtu > 10B, if_no: " to ", if_unknown: " to "}, {conclude: hostile}]"
	} }' >>"$file"
rule true | sed -n '/^causes:/,$p' >>"$file"
accepted "60 branches that each go on in two ways"
call rules test "$file"
case $rc in 0 | 4) ok ;; *) no "the tests of 60 branches: status $rc" ;; esac
rule true | awk '/^tree:/ { print; for (i = 0; i < 3000; i++) print "  - {ask: A?, test: this.mtu > 10B, if_no: open}"; next } { print }' >"$file"
refused "3,000 questions" '64|nodes'
rule true | sed '/^tests:/,$d' >"$file"
awk 'BEGIN { print "tests:"; for (i = 0; i < 40; i++) print "  - {name: t" i ", like: t" (i + 1) % 40 ", expect: none}" }' >>"$file"
accepted "tests that are like each other in a circle"
call rules test "$file"
if [ "$rc" = 4 ]; then ok; else no "running tests that are like each other in a circle: status $rc"; fi

# ---- patterns ----
victim=$(many 5000 a)
# costly PATTERN: compiles, and its match is given up.
costly() {
	rule "this.driver =~ '$1'" | sed '/^tests:/,$d' >"$file"
	cat >>"$file" <<-END
		tests:
		  - name: costly
		    given: {iface:eth0: {driver: "$victim!"}}
		    expect: {cause: none, open: hostile}
	END
	call rules test "$file"
	if [ "$rc" = 0 ] && grep -q '^1 passed, 0 failed$' "$dir/out"; then ok; else no "$1: status $rc, the question must stay open"; fi
}
costly '(a+)+$'
costly '(a|a)*$'
costly '(a|aa)+$'
costly '^(([a-z])+.)+[A-Z]([a-z])+$'
costly '(.*)(.*)(.*)(.*)(.*)[0-9]'
costly '(?=(a+)+$)a'
# shellcheck disable=SC2016 # patterns
{
	rule "this.driver =~ '((((((a{1,100}){1,100}){1,100}){1,100}){1,100}){1,100})'" >"$file"
	refused "a pattern that grows to a trillion" 'too large|pattern|limit|repeat'
	rule "this.driver =~ '$(many 1000 '(')$(many 1000 ')')'" >"$file"
	refused "a pattern of 1,000 parentheses" 'nested|deep'
	rule "this.driver =~ '$(many 5000 a)'" >"$file"
	refused "a pattern of 5,000 characters" 'longer than'
	rule "this.driver =~ 'a(?R)*b'" >"$file"
	accepted "a pattern that calls itself"
	rule "this.driver =~ '\\C'" >"$file"
	refused "a pattern that cuts characters" 'C'
	rule "this.driver =~ '(?<=a*)b'" >"$file"
	refused "a look-behind without an end" 'lookbehind'
	rule "this.driver =~ '(*LIMIT_MATCH=4000000000)(*LIMIT_DEPTH=4000000000)(a+)+\$'" >"$file"
	accepted "a pattern that asks for more"
}
costly '(*LIMIT_MATCH=4000000000)(*LIMIT_HEAP=4000000000)(a+)+$'

# ---- the report says so ----
mkdir "$dir/host" "$dir/rules"
echo "[    1.000000] $(many 5000 a)!" >"$dir/host/dmesg.txt"
{
	rule 'any(host.log.bomb, age < 10min)'
	printf "logs:\n  bomb: {match: '(a+)+$', doc: a bomb}\n"
} | sed 's/^scope: iface/scope: host/; s/{iface}/it/; /^tests:/,/open: hostile}/d' >"$dir/rules/hostile.yaml"
call run --from "$dir/host" --rules "$dir/rules" --format json
if jq -e '[.. | strings] | any(test("budget"))' "$dir/out" >/dev/null 2>&1; then ok; else no "a log line that costs too much: status $rc, no budget in the report"; fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
