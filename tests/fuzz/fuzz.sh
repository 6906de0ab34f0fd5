#!/bin/sh
# Fuzzes what reads foreign text: fuzz.sh [SECONDS [TARGET…]], SECONDS for each target, 60 if not given.
#
# Needs clang with libFuzzer (libclang-rt-14-dev or later). Everything is built into build/fuzz (B=DIR for another
# place), new inputs of interest stay in build/fuzz/found/TARGET. What fails is left in build/fuzz/TARGET-crash-*: when it
# is mended, the input goes into tests/fuzz/corpus/TARGET. The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build/fuzz}
MAKE=${MAKE:-make}
seconds=${1:-60}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- yaml expr pattern rule input paste capture pcap
unset MAKEFLAGS MFLAGS MAKELEVEL
passed=0
failed=0
sanitize=-fsanitize=address,undefined

objects=
for target in "$@"; do objects="$objects $B/tests/fuzz/fuzz_$target.o"; done
# shellcheck disable=SC2086 # names of files hold no blanks
$MAKE --no-print-directory -j"$(nproc)" CC=clang B="$B" LDFLAGS="$sanitize" \
	CFLAGS="-g -O1 -fno-omit-frame-pointer -fno-sanitize-recover=all -fsanitize=fuzzer-no-link $sanitize" \
	"$B/libnetdoctor.a" $objects >"$B.log" 2>&1 || {
	grep -E 'error|\*\*\*' "$B.log"
	echo "0 passed, 1 failed"
	exit 1
}
tests/fuzz/seeds.sh "$B/seeds" || exit 1
for target in "$@"; do
	mkdir -p "$B/found/$target"
	# shellcheck disable=SC2046 # flags without blanks
	clang -fsanitize=fuzzer $sanitize -o "$B/fuzz-$target" "$B/tests/fuzz/fuzz_$target.o" "$B/libnetdoctor.a" \
		$(pkg-config --libs yaml-0.1 libpcre2-8 libarchive libpcap) -lm -lpthread || {
		echo "FAIL $target: not linked"
		failed=$((failed + 1))
		continue
	}
	# No input may take more than 5 s or 1 GB with the sanitizers.
	if "$B/fuzz-$target" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=1024 -max_len=65536 -print_final_stats=1 \
		-dict="$B/seeds/words.dict" -artifact_prefix="$B/$target-" \
		"$B/found/$target" "$B/seeds/$target" "tests/fuzz/corpus/$target" >"$B/$target.log" 2>&1; then
		passed=$((passed + 1))
		echo "ok $target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$B/$target.log") executions in $seconds s"
	else
		failed=$((failed + 1))
		echo "FAIL $target, see $B/$target.log:"
		grep -E 'ERROR|SUMMARY|runtime error|not true|Test unit written' "$B/$target.log" | head -n 8
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
