#!/bin/sh
# Texts as people paste them in tickets (tests/paste): the facts that come out of each, and what must stay unknown.
#
# A line of NAME.expect is ENTITY FACT VALUE, the value as `facts dump` prints it; several that would do are parted by |,
# a * stands for anything. "unknown" is met by a fact that has no value. "input FILE SAYS" is a remark.
# usage: ND=build/netdoctor tests/paste.sh [NAME…]      last line: N passed, N failed
set -u
cd "$(dirname "$0")/.." || exit 1
ND=${ND:-build/netdoctor}
passed=0
failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
tab=$(printf '\t')

no() {
	failed=$((failed + 1))
	echo "not ok paste $*"
}

# value ENTITY FACT: as printed; nothing if there is no such row
value() {
	awk -F "$tab" -v e="$1" -v f="$2" '$1 == e && ($2 == f || (index(f, $2 ".") == 1 && $3 ~ /^unknown/)) {
		print $3
		exit
	}' "$dir/out"
}

# met VALUE WANTED
met() {
	rest=$2
	while [ -n "$rest" ]; do
		one=${rest%%|*}
		# shellcheck disable=SC2254 # a pattern
		case $1 in $one) return 0 ;; esac
		case $rest in *\|*) rest=${rest#*|} ;; *) rest= ;; esac
	done
	return 1
}

check() {
	name=$1 file=$2
	if ! "$ND" facts dump -q --from "$file" >"$dir/out" 2>"$dir/err"; then
		no "$name: $(head -n 1 "$dir/err")"
		return
	fi
	while read -r entity fact wanted; do
		case $entity in '' | \#*) continue ;; esac
		if [ "$entity" = input ]; then
			got=$(awk -F "$tab" -v f="$fact" '$1 == "input" && $2 == f { print $3; exit }' "$dir/out")
		else
			got=$(value "$entity" "$fact")
		fi
		case $wanted in unknown) wanted='unknown*|' ;; esac
		if [ -z "$got" ] && [ "$wanted" = 'unknown*|' ]; then got=unknown; fi
		if met "$got" "$wanted"; then
			passed=$((passed + 1))
		else
			no "$name: $entity $fact is '$got', expected '$wanted'"
		fi
	done <"tests/paste/$name.expect"
}

for expect in tests/paste/*.expect; do
	name=$(basename "$expect" .expect)
	[ $# -eq 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
	for file in "tests/paste/$name".*; do
		case $file in *.expect) ;; *) check "$name" "$file" ;; esac
	done
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
