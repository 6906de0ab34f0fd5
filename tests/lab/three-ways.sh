#!/bin/sh
# One incident three ways: live, as the capture of that very run, and as a folder of tools' outputs taken meanwhile. The first
# finding is the same, or the folder says that it cannot decide; never is it another cause.
# Needs: root, ip, ss, nstat, jq, a C compiler.
set -eu
# shellcheck disable=SC2016 # filters of jq
. tests/lab/lib.sh
need jq ss nstat
make_namespace
build nagle
build backlog

first() { jq -r '.findings[0].cause // "none"' "$1"; }

# judge FILE REPORT: from what was recorded.
judge() {
	rc=0
	"$ND" run --from "$1" --format json >"$2" 2>"$LAB_DIR/err" || rc=$?
	case $rc in 0 | 1 | 3) ;; *) fail "run --from ${1##*/}: status $rc: $(head -n 1 "$LAB_DIR/err")" ;; esac
}

# three_ways CAUSE: while the incident is going on.
three_ways() {
	folder=$LAB_DIR/folder-$1
	mkdir "$folder"
	rc=0
	inside "$ND" run --duration 4 --format json --save "$LAB_DIR/$1.nd.tar.gz" >"$LAB_DIR/live.json" 2>"$LAB_DIR/err" &
	run=$!
	t=0
	while [ $t -lt 4 ]; do
		inside ss -tinmoe >"$folder/ss-tinmoe.txt@$t" 2>/dev/null
		inside ss -ltnmoe >"$folder/ss-ltnmoe.txt@$t" 2>/dev/null
		inside nstat -az >"$folder/nstat-az.txt@$t"
		t=$((t + 1))
		sleep 1
	done
	wait $run || rc=$?
	case $rc in 0 | 1 | 3) ;; *) fail "$1: run --save: status $rc: $(head -n 1 "$LAB_DIR/err")" ;; esac
	cp "$LAB_DIR/live.json" "$LAB_DIR/whole.json"
	ours "$LAB_DIR/live.json"
	[ "$(first "$LAB_DIR/live.json")" = "$1" ] || fail "live: $(first "$LAB_DIR/live.json"), expected $1"
	judge "$LAB_DIR/$1.nd.tar.gz" "$LAB_DIR/capture.json"
	for key in findings verdict ruled_out open; do
		[ "$(jq -c ".$key" "$LAB_DIR/capture.json")" = "$(jq -c ".$key" "$LAB_DIR/whole.json")" ] ||
			fail "$1: $key of the capture differs from the run"
	done
	judge "$folder" "$LAB_DIR/folder.json"
	ours "$LAB_DIR/folder.json"
	case "$(first "$LAB_DIR/folder.json") $(jq -r .verdict "$LAB_DIR/folder.json")" in
	"$1 "* | "none inconclusive") echo "$1: the folder says $(first "$LAB_DIR/folder.json")" ;;
	*) fail "$1: the folder says $(first "$LAB_DIR/folder.json")" ;;
	esac
}

start nagle 5597 14 wwr
three_ways nagle-delayed-ack
stop_all
start backlog 5602 4 30 14
three_ways listen-overflow
stop_all
echo "PASS three-ways.sh"
