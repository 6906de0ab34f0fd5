#!/bin/sh
# A client that writes its requests in two pieces stalls on Nagle and the delayed ACK; with TCP_NODELAY it does not.
# Needs: root, ip, jq, a C compiler.
set -eu
. tests/lab/lib.sh
need jq
make_namespace
build nagle

start nagle 5599 12 wwr
examine 5
stop_all
holds '.findings[0] | .cause == "nagle-delayed-ack" and (.confidence == "likely" or .confidence == "confirmed")' ||
	fail "the first finding is not nagle-delayed-ack, likely or better"
holds '.findings[0] | .entity == "peer:127.0.0.1:5599"' || fail "it is not found on peer:127.0.0.1:5599"

start nagle 5598 12 nodelay
examine 5
stop_all
holds '[.findings[] | select(.cause == "nagle-delayed-ack")] | length == 0' ||
	fail "nagle-delayed-ack is found on sockets with TCP_NODELAY"
echo "PASS nagle.sh"
