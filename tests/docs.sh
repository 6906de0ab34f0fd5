#!/bin/sh
# rules/README.md, run from top to bottom in an empty directory:
#   ```yaml that begins with "rule: NAME" or "library: NAME"   saved as my-rules/NAME.yaml or my-rules/lib/NAME.yaml;
#                                                              it has no mistakes, and its tests pass and reach all
#   ```text PATH                                               a recording, saved as PATH
#   ```sh whose first line begins with "$ netdoctor"           run; the lines below a command are its output, which
#                                                              a last line of "..." cuts short
# Then: every function has a row with an example that compiles, and every word of the language stands in it.
#
# usage: ND=build/netdoctor tests/docs.sh      last line: N passed, N failed
# shellcheck disable=SC2016 # patterns with dollars and backquotes
set -u
umask 022
cd "$(dirname "$0")/.." || exit 1
ND=${ND:-build/netdoctor}
case $ND in /*) ;; *) ND=$PWD/$ND ;; esac
doc=$PWD/rules/README.md
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
work=$tmp/work
mkdir -p "$work/my-rules/lib" "$tmp/blocks" "$tmp/examples"
passed=0
failed=0

# check TEXT COMMAND…: what it printed is shown if it fails.
check() {
	text=$1
	shift
	if "$@" >"$tmp/out" 2>&1; then
		passed=$((passed + 1))
		return 0
	fi
	failed=$((failed + 1))
	echo "not ok: $text"
	head -n 40 "$tmp/out" | sed 's/^/    /'
	return 1
}
netdoctor() { (cd "$work" && timeout 60 "$ND" "$@" </dev/null 2>&1); }

# ---- the blocks in their order: blocks/NNN has the text, NNN.head its line and what stands behind the fence ----
blocks() {
	awk -v dir="$tmp/blocks" '
		!inside && /^```/ {
			inside = 1
			file = sprintf("%s/%03d", dir, ++n)
			printf "%d %s\n", NR, substr($0, 4) >(file ".head")
			close(file ".head")
			printf "" >file
			next
		}
		inside && /^```$/ { inside = 0; close(file); next }
		inside { print >file }
		END { exit inside }' "$doc"
}

tests_pass() {
	netdoctor rules test "$1" >"$tmp/tests"
	rc=$?
	cat "$tmp/tests"
	[ "$rc" = 0 ] && grep -q '^[1-9][0-9]* passed, 0 failed$' "$tmp/tests"
}
tests_reach_all() {
	netdoctor rules cover "$1" >"$tmp/cover"
	cat "$tmp/cover"
	grep -q '^\([1-9][0-9]*\) of \1 causes are concluded, ruled out and left open by tests$' "$tmp/cover"
}

# yaml_block FILE LINE
yaml_block() {
	name=$(sed -n '1s/^rule: *//p' "$1")
	library=$(sed -n '1s/^library: *//p' "$1")
	[ -n "$name$library" ] || return
	complete=$((complete + 1))
	if [ -n "$library" ]; then
		cp "$1" "$work/my-rules/lib/$library.yaml"
		check "rules/README.md:$2: lint" netdoctor rules lint my-rules
		return
	fi
	cp "$1" "$work/my-rules/$name.yaml"
	check "rules/README.md:$2: lint" netdoctor rules lint my-rules
	check "rules/README.md:$2: the tests of $name" tests_pass my-rules
	check "rules/README.md:$2: the tests of $name leave a cause out" tests_reach_all my-rules
}

# compare LINE COMMAND: what README.md shows with what was printed.
compare() {
	if [ "$(tail -n 1 "$tmp/want")" = "..." ]; then
		sed -i '$d' "$tmp/want"
		head -n "$(wc -l <"$tmp/want")" "$tmp/have" >"$tmp/head"
		mv "$tmp/head" "$tmp/have"
	fi
	check "rules/README.md:$1: $2" diff -u "$tmp/want" "$tmp/have"
}

# command_block FILE LINE: the words of a command are separated by blanks, none is quoted.
command_block() {
	at=$2
	from=
	while IFS= read -r row; do
		at=$((at + 1))
		case $row in
		'$ netdoctor '*)
			[ -z "$from" ] || compare "$from" "$said"
			said=${row#'$ netdoctor '}
			from=$at
			commands=$((commands + 1))
			: >"$tmp/want"
			set -f
			# shellcheck disable=SC2086 # words of a command line
			netdoctor $said >"$tmp/have"
			set +f
			;;
		*) printf '%s\n' "$row" >>"$tmp/want" ;;
		esac
	done <"$1"
	compare "$from" "$said"
}

complete=0
commands=0
check "rules/README.md: a block without its end" blocks
for head in "$tmp"/blocks/*.head; do
	read -r line info <"$head"
	block=${head%.head}
	case $info in
	yaml) yaml_block "$block" "$line" ;;
	'text '*)
		mkdir -p "$work/$(dirname "${info#text }")"
		cp "$block" "$work/${info#text }"
		;;
	sh)
		if head -n 1 "$block" | grep -q '^\$ netdoctor '; then
			command_block "$block" "$line"
		fi
		;;
	esac
done
check "rules/README.md: $complete complete rules and libraries, expected 6 or more" test "$complete" -ge 6
check "rules/README.md: $commands commands, expected 9 or more" test "$commands" -ge 9

# ---- the sources' tables ----
# table FILE NAME: the initializer of NAME[…], or the body of enum NAME, in one line.
table() {
	awk -v start="[ *]$2([[][^]]*[]] =)? [{]" '$0 ~ start { on = 1 } on { printf "%s ", $0 } on && /};/ { exit }' "$1" |
		tr '\t' ' '
}
first_string() { sed 's/^[^"]*"//; s/".*//'; }

# ---- the functions ----
table engine/rule/func.c nd_funcs | grep -oE '(\{|AGGREGATE\() *"[a-z0-9_]+", *ND_F_' | first_string >"$tmp/functions"
there=$(table engine/rule/func.h nd_func_id | grep -oE 'ND_F_[A-Z0-9_]+' | sort -u | wc -l)
check "engine/rule: $there functions, expected 30 or more" test "$there" -ge 30
check "engine/rule/func.c: rows of its table were not recognised" test "$(wc -l <"$tmp/functions")" = "$there"
cat >"$tmp/examples/examples.yaml" <<-'END'
	rule: examples
	title: The examples of the functions table
	scope: cpu
	tree:
	  - ask: Is it there?
	    test: present(cpu.time.soft)
	    if_no: open
	  - conclude: example
	causes:
	  example:
	    title: The examples
	    because: >-
END
while read -r f; do
	grep "^| \`$f(" "$doc" | sed 's/.*| `\([^`]*\)` |$/\1/' >"$tmp/example"
	check "rules/README.md: $f has no row in the functions table" test -s "$tmp/example" || continue
	check "rules/README.md: the example of $f does not use it" grep -qF "$f(" "$tmp/example"
	sed 's/.*/      {&}/' "$tmp/example" >>"$tmp/examples/examples.yaml"
done <"$tmp/functions"
check "the examples of the functions table" netdoctor rules list --rules "$tmp/examples"
sed -n 's/^| `\([a-z0-9_]*\)(.*/\1/p' "$doc" | sort >"$tmp/rows"
sort "$tmp/functions" | comm -13 - "$tmp/rows" >"$tmp/unknown"
check "rules/README.md: no such function: $(tr '\n' ' ' <"$tmp/unknown")" test ! -s "$tmp/unknown"

# ---- the words of the language, each within backquotes ----
awk -F'`' '/^```/ { fenced = !fenced; next } !fenced { for (i = 2; i < NF; i += 2) print $i }' "$doc" >"$tmp/spans"
# words WHAT: one a line.
words() {
	check "no $1 was found in the sources" test -s "$tmp/words"
	while read -r w; do
		check "rules/README.md lacks the $1 $w" grep -qE -- "(^|[^A-Za-z_-])$w([^A-Za-z_-]|\$)" "$tmp/spans"
	done <"$tmp/words"
}
tr '\n\t' '  ' <engine/rule/keys.c | grep -oE '((PLAIN|NEEDED|OF|WORD)\( *"[a-z_]+"|\{ *"[a-z_]+", *ND_KEY_)' |
	first_string | sort -u >"$tmp/words"
words key
# The last string of a kind is prose.
grep -E '^ND_(KIND|RELATION)\(' engine/core/kinds.def | sed '/^ND_KIND/s/, [a-z]*, "[^"]*")$//' |
	grep -oE '"[a-z_]+"' | tr -d '"' | sort -u >"$tmp/words"
words "kind or relation"
table engine/core/registry.c missing_names | grep -oE '"[a-z-]+"' | tr -d '"' | grep -vx present >"$tmp/words"
words "reason for a missing fact"
table engine/core/registry.c accessor_names | grep -oE '"[a-z]+"' | tr -d '"' >"$tmp/words"
words accessor
table engine/rule/lex.c units | grep -oE '\{"[^"]+", [^{]*\{[^}]*\}, *[A-Z_]+, *true' | first_string >"$tmp/words"
words unit
table engine/rule/load.c origins | grep -oE '"[a-z-]+' | tr -d '"' >"$tmp/words"
words origin

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
