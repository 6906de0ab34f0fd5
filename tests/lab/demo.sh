#!/bin/sh
# Makes an incident (small writes that wait for delayed ACKs) in a namespace of its own, and shows the report.
# Needs: root, ip, a C compiler.
set -eu
. tests/lab/lib.sh
need mktemp
make_namespace
build nagle

echo "A client writes each request in two pieces to 127.0.0.1:5599. Looking for 5 s ..." >&2
start nagle 5599 12 wwr
rc=0
inside "$ND" run --format md --duration 5 || rc=$?
stop_all
echo "What the client saw: $(cat "$LAB_DIR/nagle.out")" >&2
[ "$rc" = 1 ] || { echo "demo: expected status 1 (a cause found), got $rc" >&2; exit 1; }
