#!/bin/sh
# Static checks, as errors: layout (clang-format), clang-tidy, cppcheck, shellcheck, and who includes whom.
# Prints what is wrong, and last "lint: clean" or "lint: N of N checks failed".
set -u
cd "$(dirname "$0")/.." || exit 1
JOBS=$(nproc)
sources=$(find engine collectors reports -name '*.c' | sort)
all=$(find engine collectors reports tests -name '*.[ch]' | sort)
scripts=$(find .ci packaging tests -name '*.sh' -o -path .ci/run | sort)
FLAGS="-std=gnu11 -D_GNU_SOURCE -DND_VERSION=__FILE__ -I. $(pkg-config --cflags yaml-0.1 libpcre2-8 libpcap libarchive)"
export FLAGS
checks=0
bad=0

check() {
	name=$1
	shift
	checks=$((checks + 1))
	"$@" || {
		echo "FAIL $name"
		bad=$((bad + 1))
	}
}

# shellcheck disable=SC2086,SC2016,SC2317 # lists of names and flags without blanks; sh -c expands its own
{
	tidy() {
		echo $sources | xargs -n 4 -P "$JOBS" sh -c \
			'out=$(clang-tidy --quiet "$@" -- $FLAGS 2>&1) || { echo "$out"; exit 1; }' tidy
	}
	check clang-format clang-format --dry-run -Werror $all
	check shellcheck shellcheck -x $scripts
	check check-layers.sh tests/check-layers.sh
	check cppcheck cppcheck -q -j "$JOBS" --error-exitcode=1 --inline-suppr --std=c11 \
		--enable=warning,performance,portability --suppress=missingIncludeSystem \
		--suppress=internalAstError --suppress=autoVariables --suppress=identicalInnerCondition \
		-D_GNU_SOURCE -DND_VERSION=__FILE__ -I . $sources
	check clang-tidy tidy
}
if [ $bad = 0 ]; then
	echo "lint: clean"
else
	echo "lint: $bad of $checks checks failed"
fi
exit $bad
