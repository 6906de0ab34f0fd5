#!/bin/sh
# A namespace in which nothing happens is healthy.
# Needs: root, ip, jq.
set -eu
. tests/lab/lib.sh
need jq
make_namespace

examine 5
[ -z "$LAB_BUSY" ] || skip "the machine itself has no CPU to spare: it is not idle"
holds '.verdict == "healthy" and (.findings | length == 0)' ||
	fail "the verdict is $(jq -r .verdict "$LAB_DIR/report.json")"
echo "PASS idle.sh"
