#!/bin/sh
# Public incidents as folders of recorded outputs: the first finding is the cause that solved them, with a word
# that the data can bear, and none of the look-alikes is reported. Each folder has an expect.yaml with the source
# of the incident; the table below adds what the word may be.
#
# usage: ND=build/netdoctor tests/cases.sh      last line: N passed, N failed
set -u
nd=${ND:-build/netdoctor}
passed=0 failed=0
err=$(mktemp)
trap 'rm -f "$err"' EXIT

# case, least word, most word. "none": nothing at likely or above.
table='
C001 likely    confirmed
C004 suspected suspected
C006 likely    confirmed
C013 likely    confirmed
C024 suspected suspected
C026 none      none
C030 suspected confirmed
C032 suspected suspected
C057 none      none
C068 none      none
C069 none      none
C111 suspected suspected
'

rank() { case $1 in suspected) echo 1 ;; likely) echo 2 ;; confirmed) echo 3 ;; *) echo 0 ;; esac; }

# The words of a list in an expect.yaml.
list() { awk -v key="$1:" '$1 == key { on = 1; next } on && $1 == "-" { print $2; next } { on = 0 }' "$2"; }

fail() {
	failed=$((failed + 1))
	echo "not ok case $1: $2"
}

check() {
	id=$1 least=$2 most=$3 dir=tests/cases/$1
	class=$(awk '$1 == "class:" { print $2 }' "$dir/expect.yaml")
	report=$("$nd" run --from "$dir" --format json 2>"$err")
	status=$?
	case $status in 0 | 1 | 3) ;; *)
		fail "$id" "exit status $status: $(head -n 1 "$err")"
		return
		;;
	esac
	first=$(printf '%s' "$report" | jq -r '.findings[0].cause // "none"')
	word=$(printf '%s' "$report" | jq -r '.findings[0].confidence // "none"')
	for bad in $(list must_not_report "$dir/expect.yaml"); do
		if [ "$(printf '%s' "$report" | jq --arg c "$bad" '[.findings[] | select(.cause == $c)] | length')" != 0 ]; then
			fail "$id" "reports $bad"
			return
		fi
	done
	if [ "$least" = none ]; then
		if [ "$status" = 1 ]; then
			fail "$id" "no cause expected, found $first ($word)"
			return
		fi
		passed=$((passed + 1))
		return
	fi
	case " $class $(list acceptable "$dir/expect.yaml" | tr '\n' ' ')" in
	*" $first "*) ;;
	*)
		fail "$id" "expected $class first, found $first ($word)"
		return
		;;
	esac
	if [ "$(rank "$word")" -lt "$(rank "$least")" ] || [ "$(rank "$word")" -gt "$(rank "$most")" ]; then
		fail "$id" "$first is $word, expected $least to $most"
		return
	fi
	passed=$((passed + 1))
}

while read -r id least most; do
	[ -z "$id" ] || check "$id" "$least" "$most"
done <<END
$table
END
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
