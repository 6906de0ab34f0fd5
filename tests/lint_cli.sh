#!/bin/sh
# rules lint from outside: formats, exit status, shell text, and what --fix writes and refuses to write.
# The last line is "N passed, N failed".
#
# usage: ND=build/netdoctor tests/lint_cli.sh
#
# shellcheck disable=SC2016 # names of the rule language begin with $
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/cli_lib.sh
chmod 755 "$tmp"
dir=$tmp/rules
file=$dir/base.yaml

# last TEXT: the last line of the output.
last() {
	if [ "$(tail -n 1 "$tmp/out")" = "$1" ]; then ok; else no "$said: the last line is not '$1'"; fi
}

# A rule without a mistake, spoilt by a script of sed.
spoil() {
	rm -rf "$dir"
	mkdir "$dir"
	cat >"$tmp/base.yaml" <<-'END'
		# kept: a comment
		rule: base
		title: A rule to be spoilt
		params:
		  most: {value: 5%, origin: "arith: as many"}   # kept: another
		  few: {value: 20, origin: "arith: fewer are noise"}
		scope: iface
		let:
		  lost: ratio(iface.rx.dropped.seen, iface.rx.packets.seen, $few)
		tree:
		  - ask: Does it lose packets?
		    test: $lost > $most
		    grade: decides
		    if_no: {rule_out: "it lost {$lost}"}
		  - conclude: base
		causes:
		  base:
		    title: "{iface} loses packets"
		    because: "{$lost} of them"
		    fix:
		      - title: Mend it
		        tier: cure
		        risk: none
		        disrupts: no
		        run: |
		          echo {iface.key}
		          if true; then echo '{count(ifaces)}'; fi
		        undo: echo no
		        persist: echo yes
		        verify: $lost < $most
		tests:
		  - name: lost
		    given: {iface:eth0: {link_kind: physical, rx.dropped.delta: 90, rx.packets.delta: 900}}
		    rows:
		      - {iface:eth0: {rx.dropped.delta: 80}, expect: {cause: base}}
		      - {iface:eth0: {rx.dropped.delta: 9}, expect: none}
		      - {iface:eth0: {rx.dropped: {missing: no-permission}}, expect: {open: base}}
	END
	sed "$1" "$tmp/base.yaml" >"$file"
	if [ -n "$1" ] && cmp -s "$tmp/base.yaml" "$file"; then no "nothing is spoilt by: $1"; fi
}

shipped() {
	call rules lint
	status 0
	says out '^0 errors, [0-9]+ warnings in [1-9][0-9]* rules$'
	silent err
	cp "$tmp/out" "$tmp/builtin"
	call rules lint rules
	status 0
	holds "rules/ is not linted like what is built in" cmp "$tmp/out" "$tmp/builtin"
	if grep -E '^[^ ].*: warning: ' "$tmp/out" | grep -qvE ': (a guess: |known\(\) drops )'; then
		no "the shipped rules give cause for more than guesses"
	else
		ok
	fi
	call rules lint nonesuch
	status 4
	says err 'nonesuch'
	silent out
}

formats() {
	spoil ''
	call rules lint "$dir"
	status 0
	silent err
	last '0 errors, 0 warnings in 1 rule'
	call rules lint --format json "$file"
	status 0
	holds "JSON without messages" jq -e '.errors == 0 and .warnings == 0 and .rules == 1 and .messages == []' "$tmp/out"
	call rules lint --format github "$file"
	last '0 errors, 0 warnings in 1 rule'

	spoil 's/arith: fewer/guess: fewer, 50% "of":/; s/  few:/  few2: {value: 1, origin: arith}\n  few:/; s/\$lost > /$lost > 1% + /; s/"guess\(.*\)"}/'"'guess\1'}/"
	call rules lint "$dir"
	status 4
	last '1 error, 2 warnings in 1 rule'
	says out "^$file:6:3: warning: parameter few2 is used nowhere"
	says out "^$file:13:19: error: a number in a question"
	says out '^    ( *)test: \$lost > 1% \+ \$most$'
	holds "the caret" sh -c 'grep -A 2 "a number in a question" "$1" | tail -n 1 | grep -qx "                      ^"' sh "$tmp/out"
	call rules lint --format json "$dir"
	status 4
	holds "JSON with messages" jq -e --arg file "$file" '.errors == 1 and .warnings == 2 and (.messages | length) == 3 and
		(.messages[2] | .path == $file and .line == 13 and .column == 19 and .severity == "error" and
		(.message | startswith("a number in a question")) and (.source | test("^ *test: .lost > 1% . .most$"))) and
		(.messages[1] | .severity == "warning" and .line == 7)' "$tmp/out"
	call rules lint --format github "$dir"
	status 4
	says out "^::error file=$file,line=13,col=19::a number in a question: give it a name"
	says out "^::warning file=$file,line=6,col=3::parameter few2"
	call rules lint --strict "$dir"
	status 4
	last '3 errors, 0 warnings in 1 rule'

	spoil 's/arith: fewer/guess: fewer/'
	call rules lint "$dir"
	status 0
	last '0 errors, 1 warning in 1 rule'
	call rules lint --strict "$dir"
	status 4
	call rules lint --strict --format json "$dir"
	holds "--strict in JSON" jq -e '.errors == 1 and .messages[0].severity == "error"' "$tmp/out"

	# What a file is called and says must not end an annotation.
	mkdir "$dir/a,b:c%d"
	printf 'rule: odd\ntitel: "100%%0A::error::x"\n"k\\n::error::y\\e[31m": 1\n' >"$dir/a,b:c%d/odd.yaml"
	call rules lint --format github "$dir/a,b:c%d"
	status 4
	says out "^::error file=$dir/a%2Cb%3Ac%25d/odd.yaml,line=2,col=1::unknown key"
	if grep -q '^::error::' "$tmp/out"; then no "an annotation was forged"; else ok; fi
	says out '^::error .*unknown key "k[?]::error::y[?]\[31m"'
	call rules lint --format json "$dir/a,b:c%d"
	holds "JSON of an odd name" jq -e --arg dir "$dir" '.messages[0].path == $dir + "/a,b:c%d/odd.yaml"' "$tmp/out"

	# Mistakes of loading, and what lint has to say of the other files.
	spoil 's/arith: fewer/guess: fewer/'
	printf 'rule: broken\ntitel: x\n' >"$dir/broken.yaml"
	call rules lint "$dir"
	status 4
	says out 'broken.yaml:2:1: error: unknown key "titel"; nearest is title'
	says out 'base.yaml:6:29: warning: a guess'
	call rules lint --set base.nonesuch=1 "$file"
	status 4
	says out '^--set: error: no rule has the parameter'
	call rules lint --format xml "$dir"
	status 2
	says err 'expected text, json or github'
	call rules lint --fix
	status 2
	says err 'needs files'
}

shell_text() {
	spoil "s/fi\$/done/"
	call rules lint "$dir"
	status 4
	says out "^$file:27:11: error: sh cannot read this, with a word in each hole: .*done"
	last '1 error, 0 warnings in 1 rule'
	spoil 's/undo: echo no/undo: echo "no/; s/persist: .*/persist: "echo $((1"/'
	call rules lint "$dir"
	status 4
	says out "^$file:28:15: error: sh cannot read this"
	says out "^$file:29:19: error: sh cannot read this"
	last '2 errors, 0 warnings in 1 rule'
	# It reads, and runs nothing.
	spoil "s|undo: echo no|undo: \": \$(touch $tmp/ran); touch $tmp/ran\"|"
	call rules lint "$dir"
	status 0
	holds "a command of a fix was run" test ! -e "$tmp/ran"
}

mends() {
	spoil 's/^title/titel/; s/rx.dropped.seen/rx.droped.seen/; s/{rule_out: .*}/{rule_out: it lost {max($lost, 0)}}/; s/^scope: iface/&  /'
	chmod 640 "$file"
	touch -d 2001-01-01 "$file"
	call rules lint --fix "$dir"
	status 0
	says err "^$file: mended 4 places$"
	last '0 errors, 0 warnings in 1 rule'
	sed 's/"it lost {$lost}"/"it lost {max($lost, 0)}"/' "$tmp/base.yaml" >"$tmp/want"
	holds "what was mended differs in more than the mistakes" cmp "$file" "$tmp/want"
	holds "the mode is another" test "$(stat -c %a "$file")" = 640
	holds "something lies beside the file" test "$(ls -A "$dir")" = base.yaml
	before=$(stat -c %i%Y "$file")
	call rules lint --fix "$file"
	status 0
	silent err
	holds "a file without mistakes was written" test "$(stat -c %i%Y "$file")" = "$before"

	spoil 's/^title/whatever/'
	cp "$file" "$tmp/want"
	call rules lint --fix "$file"
	status 4
	says out 'unknown key "whatever"'
	holds "a file that nobody can mend was written" cmp "$file" "$tmp/want"

	# A library beside the rules, and the rule that uses it.
	spoil 's/test: $lost > $most/& and ifaces[carrd] == ifaces[carrd]/; s/ and ifaces.*/ and iface.carrd/'
	mkdir "$dir/lib"
	printf 'library: cards\nderive:\n  iface.carded: {valeu: iface.link_kind == "a"}\n' >"$dir/lib/cards.yaml"
	call rules lint --fix "$dir"
	says err 'lib/cards.yaml: mended 1 place$'
	says out 'base.yaml:.*has no fact or relation "carrd"'
}

refuses() {
	spoil 's/^title/titel/'
	cp "$file" "$tmp/want"
	mv "$file" "$tmp/elsewhere.yaml"
	ln -s "$tmp/elsewhere.yaml" "$file"
	call rules lint --fix "$file"
	status 4
	says err 'is a link'
	holds "a link was followed" cmp "$tmp/elsewhere.yaml" "$tmp/want"
	holds "a link was replaced" test -L "$file"
	rm "$file"
	mkfifo "$file"
	call rules lint --fix "$file"
	status 4
	says err 'is no file'
	if [ "$(id -u)" != 0 ]; then
		return
	fi
	rm "$file"
	cp "$tmp/want" "$file"
	chown 65534 "$file"
	call rules lint --fix "$file"
	status 4
	says err 'belongs to another user'
	holds "root wrote a file of another user" cmp "$file" "$tmp/want"
	chown 0 "$file"
	chmod 666 "$file"
	call rules lint --fix "$file"
	status 4
	says err 'can be written by everybody'
	chmod 644 "$file"
	chown 65534 "$dir"
	call rules lint --fix "$file"
	status 4
	says err 'in a folder that another user can write'
	holds "root wrote into a folder of another user" cmp "$file" "$tmp/want"
	chown 65534 "$file"
	SUDO_UID=65534 call rules lint --fix "$file"
	status 0
	holds "the file has another owner" test "$(stat -c %u "$file")" = 65534
}

shipped
formats
shell_text
mends
refuses
closing
