# shellcheck shell=sh
# What the benchmarks share: verdicts, medians, a place for files. Source it from the project's root.
passed=0
failed=0

# Makes $tmp, which goes away with the script.
scratch() {
	tmp=$(mktemp -d)
	trap 'rm -rf "$tmp"' EXIT
	trap 'exit 130' INT TERM
}

verdict() { # OK? WHAT
	if [ "$1" = 1 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $2"
	fi
}

median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

# The last line, and the status.
closing() {
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
}
