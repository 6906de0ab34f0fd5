#!/bin/sh
# Public incidents as folders of recorded outputs: the first finding is the cause that solved them, with a word
# that the data can bear, and none of the look-alikes is reported. Each folder has an expect.yaml: the source of the
# incident, its class, and under `words` the least and the most that these files can support: suspected, likely,
# confirmed, or none (nothing at likely or above).
#
# usage: ND=build/netdoctor tests/cases.sh [ID…]      last line: N passed, N failed
set -u
nd=${ND:-build/netdoctor}
passed=0 failed=0
err=$(mktemp)
trap 'rm -f "$err"' EXIT

rank() { case $1 in suspected) echo 1 ;; likely) echo 2 ;; confirmed) echo 3 ;; *) echo 0 ;; esac; }

# The words of a list in an expect.yaml.
list() { awk -v key="$1:" '$1 == key { on = 1; next } on && $1 == "-" { print $2; next } { on = 0 }' "$2"; }

fail() {
	failed=$((failed + 1))
	echo "not ok case $1: $2"
}

# inconclusive ID STATUS REPORT: says so, and what to collect next.
inconclusive() {
	if [ "$2" != 3 ]; then
		fail "$1" "inconclusive expected, exit status $2"
	elif ! printf '%s' "$3" | jq -e '[.open[].next // empty] + [.coverage.unexamined[].missing[]] | length > 0' >/dev/null; then
		fail "$1" "does not say what to collect"
	else
		passed=$((passed + 1))
	fi
}

check() {
	id=$1 dir=tests/cases/$1
	expect=$dir/expect.yaml
	class=$(awk '$1 == "class:" { print $2 }' "$expect")
	least=$(awk '$1 == "words:" { print $2 }' "$expect")
	most=$(awk '$1 == "words:" { print $3 }' "$expect")
	if [ -z "$most" ]; then
		fail "$id" "no words: LEAST MOST in $expect"
		return
	fi
	report=$("$nd" run --from "$dir" --format json 2>"$err")
	status=$?
	case $status in 0 | 1 | 3) ;; *)
		fail "$id" "exit status $status: $(head -n 1 "$err")"
		return
		;;
	esac
	first=$(printf '%s' "$report" | jq -r '.findings[0].cause // "none"')
	word=$(printf '%s' "$report" | jq -r '.findings[0].confidence // "none"')
	for bad in $(list must_not_report "$expect"); do
		if [ "$(printf '%s' "$report" | jq --arg c "$bad" '[.findings[] | select(.cause == $c)] | length')" != 0 ]; then
			fail "$id" "reports $bad"
			return
		fi
	done
	if [ "$(rank "$word")" -gt "$(rank "$most")" ] || [ "$(rank "$word")" -lt "$(rank "$least")" ]; then
		fail "$id" "$first is $word, expected $least to $most"
		return
	fi
	if [ "$class" = inconclusive ] && [ "$status" != 1 ]; then
		inconclusive "$id" "$status" "$report"
		return
	fi
	case " $class $(list acceptable "$expect" | tr '\n' ' ')" in
	*" $first "*) ;;
	*)
		if [ "$least" != none ] || [ "$status" = 1 ]; then
			fail "$id" "expected $class first, found $first ($word)"
			return
		fi
		;;
	esac
	passed=$((passed + 1))
}

cd "$(dirname "$0")/.." || exit 1
[ $# -gt 0 ] || set -- tests/cases/*/
for dir in "$@"; do
	check "$(basename "$dir")"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
