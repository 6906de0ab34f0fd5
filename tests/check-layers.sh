#!/bin/sh
# Who may include whom. Prints every include that goes against it; silent when all is well.
set -u
cd "$(dirname "$0")/.." || exit 1

may() {
	case $1 in
	engine/cli/*) echo 'engine/* collectors/* bpf/* reports/*' ;;
	engine/judge/*) echo 'engine/judge/* engine/rule/* engine/core/*' ;;
	engine/rule/*) echo 'engine/rule/* engine/core/*' ;;
	engine/core/*) echo 'engine/core/*' ;;
	bpf/*) echo 'engine/core/* bpf/*' ;;
	collectors/*) echo 'engine/core/* collectors/*' ;;
	reports/*) echo 'engine/core/* engine/judge/finding.h reports/*' ;;
	*) echo '*/*' ;;
	esac
}

# only HEADER OWNER: the system header <HEADER> belongs to that file alone.
only() {
	grep -rlE "^[[:space:]]*#[[:space:]]*include[[:space:]]*<$1>" engine collectors reports --include='*.[ch]' |
		grep -vxE "$2" | sed "s|\$|: may not include <$1>: that is for $2|"
}

set -f
bad=0
for f in $(find engine bpf collectors reports tests \( -name '*.[ch]' -o -name '*.def' \) 2>/dev/null | sort); do
	# shellcheck disable=SC2013 # a path without blanks is a word
	for inc in $(sed -n 's/^[ 	]*#[ 	]*include[ 	]*"\([^"]*\)".*/\1/p' "$f"); do
		ok=0
		for pat in $(may "$f"); do
			# shellcheck disable=SC2254 # it is a pattern
			case $inc in
			$pat) ok=1 ;;
			esac
		done
		[ $ok = 1 ] || {
			echo "$f: may not include $inc"
			bad=1
		}
	done
done
others=$(only 'yaml\.h' 'engine/rule/yaml\.c'; only 'pcre2\.h' 'engine/rule/expr_match\.c')
[ -z "$others" ] || {
	echo "$others"
	bad=1
}
exit $bad
