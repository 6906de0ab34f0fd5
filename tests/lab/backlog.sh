#!/bin/sh
# An accept queue of 4 under 30 connects overflows; the same listener with somebody who accepts does not.
# Needs: root, ip, jq, a C compiler.
set -eu
. tests/lab/lib.sh
need jq
make_namespace
build backlog

start backlog 5601 4 30 12
examine 5
stop_all
holds '.findings[0] | .cause == "listen-overflow" and .entity == "listener:tcp/127.0.0.1:5601"' ||
	fail "the first finding is not listen-overflow on listener:tcp/127.0.0.1:5601"

start backlog 5602 128 0 12 accept
examine 5
stop_all
holds '[.findings[] | select(.cause | test("^listen-|somaxconn|accept"))] | length == 0' ||
	fail "a listener that keeps up is accused"
echo "PASS backlog.sh"
