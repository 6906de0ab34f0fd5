#!/bin/sh
# The command line from outside: what it accepts, what it says, how it ends. The last line is "N passed, N failed".
# shellcheck disable=SC2016 # patterns with dollars
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/cli_lib.sh
HOST=tests/hosts/kernel-6.18

verdict_status() {
	case $(jq -r .verdict "$1") in
	healthy) echo 0 ;;
	causes) echo 1 ;;
	inconclusive) echo 3 ;;
	*) echo "no verdict" ;;
	esac
}

usage_errors() {
	while IFS='|' read -r line pattern; do
		# shellcheck disable=SC2086 # words of a command line
		call $line
		status 2
		silent out
		says err "$pattern"
		says err '^usage: netdoctor '
	done <<-'END'
		|a command is missing
		rnu|unknown command 'rnu'; nearest is 'run'
		xyzzyxyzzy|unknown command 'xyzzyxyzzy'
		rules|needs a second word
		rules lst|nearest is 'rules list'
		facts shwo x|nearest is 'facts show'
		run --formt md|unknown option '--formt'; nearest is '--format'
		run -Z|unknown option '-Z'
		run --duration|--duration needs TIME
		run -o|-o needs FILE
		run --quick=1|--quick takes no value
		run extra|nothing was expected behind it, found 'extra'
		run --json|run does not take --json
		check --from x|check does not take --from
		run --duration 5x|--duration 5x: expected a time
		run --duration 10ms|expected a time from 100ms
		run --duration 25h|expected a time from 100ms to 24h
		run --duration -1|expected a time
		run --duration 1e3|expected a time
		run --duration 1.2.3s|expected a time
		run --duration=|expected a time
		run --format jsn|unknown format 'jsn'; nearest is json
		run --color blue|--color blue: expected auto, always or never
		run --set nonsense|expected rule.param=value
		rules show|rules show needs NAME
		rules show a b|nothing was expected behind it, found 'b'
		facts dump --only softnt|no such collector; nearest is softnet
		help nonesuch|there is no command 'nonesuch'
	END
}

help_and_version() {
	for line in --help -h help; do
		call $line
		status 0
		silent err
		says out '^usage: netdoctor COMMAND'
	done
	for line in "help run" "run --help" "run --duration 5x --help" "run -h extra"; do
		# shellcheck disable=SC2086
		call $line
		status 0
		says out '^usage: netdoctor run \[OPTIONS\]'
		says out '--duration TIME .*how long'
	done
	call help rules
	says out 'rules lint'
	call rules show --help
	says out '^usage: netdoctor rules show \[OPTIONS\] NAME'
	for line in --version version; do
		call $line
		status 0
		says out '^netdoctor [0-9]+\.[0-9]+\.[0-9]+$'
	done
	holds "a line of help is wider than 100 columns" sh -c "$ND --help | awk 'length > 100 { exit 1 }'"
	"$ND" --help | sed -n 's/^  \([a-z][a-z ]*[a-z]\)  .*/\1/p' >"$tmp/commands"
	holds "--help lists the commands" test "$(wc -l <"$tmp/commands")" -gt 8
	while read -r first second; do
		# shellcheck disable=SC2086
		call help $first $second
		status 0
	done <"$tmp/commands"
}

durations() {
	for d in 0.2 200ms 0.2s 0.005min 0.005m; do
		call run --duration "$d" --format json
		holds "--duration $d: window $(jq .window_s "$tmp/out")" \
			jq -e '.window_s > 0.15 and .window_s < 2' "$tmp/out"
	done
	call run --quick --duration 0.3 --format json
	holds "--quick with --duration keeps the duration" jq -e '.window_s < 1.5' "$tmp/out"
}

reports() {
	call run --from $HOST --format json
	status "$(verdict_status "$tmp/out")"
	silent err
	holds "the source is a folder" jq -e '.source == "folder"' "$tmp/out"
	cp "$tmp/out" "$tmp/first"
	call run --from $HOST --format json
	jq 'del(.cost)' "$tmp/first" >"$tmp/a"
	jq 'del(.cost)' "$tmp/out" >"$tmp/b"
	holds "two runs over one folder differ" cmp "$tmp/a" "$tmp/b"
	for dir in tests/cases/*; do
		call run --from "$dir" --format json
		[ $rc = 4 ] || status "$(verdict_status "$tmp/out")"
	done
	call run --from $HOST --format md
	says out '^# [a-z]'
	head -n 9 "$tmp/out" >"$tmp/md"
	call run --from $HOST --format text
	says out '^=====*$'
	call run --from $HOST
	head -n 9 "$tmp/out" >"$tmp/default"
	holds "md is the default" cmp "$tmp/default" "$tmp/md"
	call run --from $HOST/netstat-s.txt --from $HOST/proc --format=json -q
	holds "two paths make one source" jq -e '.coverage.of > 0' "$tmp/out"
	tail -c +2 tests/fuzz/corpus/pcap/nagle-on-loopback >"$tmp/a.bin" # cut in the middle of a packet
	call run --pcap "$tmp/a.bin" --format json
	holds "a capture is read by its first bytes" jq -e '[.findings[].cause] | index("nagle-delayed-ack") != null' "$tmp/out"
	call run --pcap "$tmp/a.bin" --from $HOST --format json
	holds "a capture beside a folder" jq -e '[.findings[].cause] | index("nagle-delayed-ack") != null' "$tmp/out"
	call run --pcap "$tmp/none.pcap"
	status 4
	call run --duration 0.2 --format json -v --color never
	status "$(verdict_status "$tmp/out")"
	holds "a live report has its moments" jq -e '.source == "live" and (.started | test("^20[0-9][0-9]-"))' "$tmp/out"
}

outputs() {
	call run --from $HOST -o "$tmp/r.json"
	silent out
	holds "the format follows the file's name" jq -e .verdict "$tmp/r.json"
	status "$(verdict_status "$tmp/r.json")"
	call run --from $HOST -o"$tmp/r.json" --format md
	holds "--format beats the file's name, and the file is replaced" grep -q '^# ' "$tmp/r.json"
	holds "nothing else is left beside the report" test "$(find "$tmp" -name 'r.json*' | wc -l)" = 1
	call run --from $HOST -o - --format json
	holds "-o - is standard output" jq -e .verdict "$tmp/out"
	call run --from $HOST -o /dev/stdout --format json
	holds "a special file is written into" jq -e .verdict "$tmp/out"
	for place in "$tmp" "$tmp/none/r.md" "$tmp/r.json/x"; do
		call run --from $HOST -o "$place"
		status 5
		says err "$place"
	done
	call run --from $HOST -o /dev/full
	status 5
	says err 'No space left'
	rc=0
	said="netdoctor run >/dev/full"
	"$ND" run --from $HOST >/dev/full 2>"$tmp/err" || rc=$?
	status 5
	says err 'standard output: No space left'
	said="netdoctor run | true"
	(
		rc=0
		"$ND" run --from $HOST 2>"$tmp/err" || rc=$?
		echo $rc >"$tmp/rc"
	) | :
	rc=$(cat "$tmp/rc")
	# The reader may have been late: then all was written.
	if [ "$rc" = 5 ]; then says err 'standard output: Broken pipe'; else holds "status $rc" test "$rc" -lt 4; fi
	rm -f "$tmp/limited"
	rc=0
	said="netdoctor run -o, no room"
	(
		ulimit -f 0
		"$ND" run --from $HOST -o "$tmp/limited" 2>/dev/null >/dev/null
	) || rc=$?
	status 5
	holds "a report that could not be written is not there" test -z "$(find "$tmp" -name 'limited*')"
}

inputs() {
	mkdir "$tmp/empty"
	echo hello >"$tmp/empty/foo.txt"
	call run --from "$tmp/empty"
	status 4
	silent out
	says err "no input could be read in $tmp/empty"
	call run --from "$tmp/nonesuch"
	status 4
	says err "$tmp/nonesuch: No such file"
	call run --from $HOST --from "$tmp/empty" --format json
	holds "a file that nobody reads is named" jq -e '[.inputs[] | tostring | select(test("foo.txt"))] | length == 1' "$tmp/out"
	mkdir "$tmp/bad"
	cp $HOST/netstat-s.txt "$tmp/bad/"
	head -c 3000 /dev/urandom >"$tmp/bad/softnet_stat"
	call run --from "$tmp/bad" --format json
	status "$(verdict_status "$tmp/out")"
	holds "an input that could not be used is named" jq -e '.inputs | length > 0' "$tmp/out"
}

rule_files() {
	call rules list
	status 0
	silent err
	holds "every rule has a line" test "$(wc -l <"$tmp/out")" = "$(find rules -maxdepth 1 -name '*.yaml' | wc -l)"
	name=$(head -n 1 "$tmp/out" | cut -d' ' -f1)
	call rules show "$name" --format yaml
	status 0
	holds "rules show --format yaml prints the file" cmp "$tmp/out" "rules/$name.yaml"
	call rules show "${name}x"
	status 2
	says err "there is no rule '${name}x'; nearest is $name"
	call rules lint
	status 0
	call rules lint rules
	status 0
	call rules test "rules/$name.yaml"
	status 0
	says out '^[1-9][0-9]* passed, 0 failed$'
	mkdir -p "$tmp/rules"
	printf 'rule: broken\ntitel: x\n' >"$tmp/rules/broken.yaml"
	call rules lint "$tmp/rules"
	status 4
	says out 'broken.yaml:2:1: error: '
	call run --from $HOST --rules "$tmp/rules"
	status 4
	silent out
	says err 'broken.yaml:[0-9]+:[0-9]+: error: '
	call run --from $HOST --rules "$tmp/nonesuch"
	status 4
	says err "$tmp/nonesuch: No such file"
	call run --from $HOST --set nonesuch.param=1
	status 4
	says err 'no rule has the parameter nonesuch.param'
	rm "$tmp/rules/broken.yaml"
	cp "rules/$name.yaml" "$tmp/rules/"
	call rules list --rules "$tmp/rules"
	status 0
	holds "a rule of the same name replaces" test "$(wc -l <"$tmp/out")" = "$(find rules -maxdepth 1 -name '*.yaml' | wc -l)"
	call rules test "$tmp/rules"
	status 0
}

# Thresholds and rules from a settings file; --set goes over it.
settings() {
	mkdir -p "$tmp/etc/more"
	sed 's/^rule: .*/rule: mine/; s/^core: true//' rules/nagle-delayed-ack.yaml | sed 's/nagle-delayed-ack:/mine-cause:/; s/conclude: nagle-delayed-ack/conclude: mine-cause/' >"$tmp/etc/more/mine.yaml"
	printf '# ours\nset:\n  receive-path.wait: 7ms\nrules: more\n' >"$tmp/etc/settings.yaml"
	call rules show receive-path --settings "$tmp/etc/settings.yaml"
	status 0
	says out '^  \$wait .*7ms .*\(changed by .*/etc/settings.yaml\)$'
	call rules list --settings "$tmp/etc/settings.yaml"
	status 0
	says out '^mine '
	call rules show receive-path --settings "$tmp/etc/settings.yaml" --set receive-path.wait=8ms
	says out '^  \$wait .*8ms .*\(changed by --set\)$'
	printf 'set:\n  receive-path.wiat: 7ms\n' >"$tmp/etc/settings.yaml"
	call run --from $HOST --settings "$tmp/etc/settings.yaml"
	status 4
	says err 'settings.yaml:2:3: error: no rule has the parameter receive-path.wiat; nearest is receive-path.wait$'
	says err '^      \^$'
	call run --from $HOST --settings "$tmp/etc/none.yaml"
	status 4
	says err 'none.yaml: No such file or directory'
	call rules list --settings /dev/null
	status 0
	call rules test --settings /dev/null
	status 2
	[ "$(id -u)" = 0 ] || return 0
	printf 'rules: more\n' >"$tmp/etc/settings.yaml"
	chmod o+w "$tmp/etc/more/mine.yaml"
	call run --from $HOST --settings "$tmp/etc/settings.yaml"
	status 4
	says err '^netdoctor: --settings .*/mine.yaml: can be written by everybody; root does not use such rules'
	chmod o-w "$tmp/etc/more/mine.yaml"
	chmod o+w "$tmp/etc/settings.yaml"
	call run --from $HOST --settings "$tmp/etc/settings.yaml"
	status 4
	says err 'settings.yaml: can be written by everybody'
}

# Root does not believe what others could have written.
trust() {
	[ "$(id -u)" = 0 ] || return 0
	mkdir -p "$tmp/theirs/lib"
	call run --from $HOST --rules "$tmp/theirs" --format json
	holds "rules of root are taken" test "$rc" -lt 4
	for change in "chmod o+w $tmp/theirs" "chown 12345 $tmp/theirs" "chmod 777 $tmp/theirs/lib" \
		"chown 12345 $tmp/theirs/lib/x.yaml" "chmod o+w $tmp/theirs/x.yaml" "chgrp 12345 $tmp/theirs/x.yaml"; do
		rm -rf "$tmp/theirs"
		mkdir -p "$tmp/theirs/lib"
		printf 'library: x\n' >"$tmp/theirs/lib/x.yaml"
		cp rules/*.yaml "$tmp/theirs/"
		mv "$(find "$tmp/theirs" -maxdepth 1 -name '*.yaml' | head -n 1)" "$tmp/theirs/x.yaml"
		chmod 664 "$tmp/theirs/x.yaml"
		$change
		call run --from $HOST --rules "$tmp/theirs"
		said="$said after $change"
		status 4
		says err 'root does not use such rules'
	done
	rm -rf "$tmp/theirs"
	mkdir "$tmp/theirs"
	chown 12345 "$tmp/theirs"
	rc=0
	said="netdoctor run --rules of the user behind sudo"
	SUDO_UID=12345 SUDO_GID=12345 "$ND" run --from $HOST --rules "$tmp/theirs" >"$tmp/out" 2>"$tmp/err" || rc=$?
	holds "$said: status $rc" test $rc -lt 4
}

facts() {
	call facts list
	status 0
	says out '^cpu\.softnet\.dropped +counter'
	call facts list --json
	holds "facts list --json" jq -e 'length > 100 and all(.[]; .doc != "" and .fact != "")' "$tmp/out"
	for name in softnet.dropped cpu.softnet.dropped cpu.softnet.dropped.delta; do
		call facts show $name
		status 0
		says out '^cpu\.softnet\.dropped$'
		says out 'by hand: '
	done
	call facts show softnet.droped
	status 2
	says err 'nearest is softnet.dropped'
	mkdir "$tmp/soft"
	cp /proc/net/softnet_stat "$tmp/soft/"
	call facts dump --from "$tmp/soft"
	status 0
	says out '^cpu:0	softnet\.dropped\.total	'
	call facts dump --from "$tmp/soft" --json --only softnet
	holds "facts dump --only softnet" jq -e 'length > 0 and all(.[]; .fact | startswith("softnet."))' "$tmp/out"
	call facts dump --from $HOST --json
	holds "facts dump --json" jq -e 'length > 100 and any(.[]; .basis == "lifetime") and any(.[]; has("missing"))' "$tmp/out"
	call facts dump --from "$tmp/soft" --stats
	says out '^softnet +[1-9]'
	call check
	status 0
	silent err
	says out '^softnet +[0-9]+ of +[0-9]+ facts'
}

# A first Ctrl-C ends the measuring, a second one netdoctor. Background jobs of a shell ignore it, hence env.
interrupts() {
	began=$(date +%s)
	rc=0
	said="Ctrl-C"
	env --default-signal=INT "$ND" run --duration 40s --format json >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	sleep 1
	kill -INT $pid
	wait $pid || rc=$?
	holds "Ctrl-C did not end the measuring" test $(($(date +%s) - began)) -lt 20
	status "$(verdict_status "$tmp/out")"
	mkfifo "$tmp/fifo" # nobody reads: writing the report waits
	rc=0
	said="Ctrl-C twice"
	env --default-signal=INT "$ND" run --duration 40s -o "$tmp/fifo" >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	sleep 1
	kill -INT $pid
	sleep 1
	kill -INT $pid
	wait $pid || rc=$?
	status 130
}

progress() {
	command -v script >/dev/null || return 0
	said="progress on a terminal"
	TERM=xterm timeout 30 script -qec "$ND run --duration 1s --format json >$tmp/report" /dev/null </dev/null >"$tmp/out" 2>"$tmp/err"
	says out 'measuring: [0-9.]+ of 1\.0 s'
	holds "the report is whole" jq -e .verdict "$tmp/report"
	TERM=xterm timeout 30 script -qec "$ND run --duration 1s --no-progress >$tmp/report" /dev/null </dev/null >"$tmp/out" 2>"$tmp/err"
	silent out
}

usage_errors
help_and_version
durations
reports
outputs
inputs
rule_files
settings
trust
facts
interrupts
progress
closing
