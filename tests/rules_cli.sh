#!/bin/sh
# The workbench for authors of rules, from outside: rules list, show, why, cover, new, doc, schema; and that the
# committed pages and the schema are what the program prints. The last line is "N passed, N failed".
# shellcheck disable=SC2016,SC2013 # patterns with dollars; kinds are words without blanks
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/cli_lib.sh

# A rule with every kind of branch, two trees, a list of scopes, and gaps in its tests.
every_branch() {
	mkdir -p "$tmp/rules"
	cat >"$tmp/rules/every-branch.yaml" <<-'END'
		rule: every-branch
		title: Every kind of branch
		params:
		  much: {value: 1000/s, origin: "guess: for a test"}
		  few: {value: 2, origin: arith}
		  half: {value: 50%, origin: arith}
		trees:
		  first:
		    scope: cpu
		    when: cpu.softnet.processed.rate > $much
		    let:
		      lost: ratio(cpu.softnet.dropped.seen, cpu.softnet.processed.seen, 100)
		    tree:
		      - ask: Are "packets" <lost>?
		        test: $lost > $half
		        if_yes:
		          - ask: Is it saturated?
		            test: cpu.softirq_saturated
		            grade: decides
		            if_no: {conclude: cause-b}
		            if_unknown: next
		        if_no: {go: other}
		        if_unknown: {cap: suspected, says: "loss is unknown"}
		      - conclude: cause-a
		        entity: argmax(cpus, time.soft)
		    branches:
		      other:
		        - ask: Is it squeezed?
		          test: cpu.softnet.time_squeeze.seen > 0
		          if_no: {rule_out: "no squeeze"}
		        - conclude: cause-b
		  second:
		    scope: [service, peer]
		    tree:
		      - ask: Are there many?
		        test: this.connections > $few
		        grade: decides
		        if_no: {rule_out: "few"}
		      - conclude: cause-c
		causes:
		  cause-a: {title: A, because: a}
		  cause-b: {title: B, because: b}
		  cause-c: {title: C, because: c}
		tests:
		  - name: one way
		    given:
		      cpu:0: {softnet.processed.rate: 2000/s, softnet.dropped.rate: 1500/s, time.soft: 91%}
		    expect: {cause: cause-a}
	END
	grep -q '^service.connections ' "$tmp/facts" || sed -i 's/this.connections/this.exchanges.delta/' "$tmp/rules/every-branch.yaml"
}

lists() {
	call rules list --json
	status 0
	silent err
	holds "rules list --json: all rules" test "$(jq length "$tmp/out")" = "$(find rules -maxdepth 1 -name '*.yaml' | wc -l)"
	holds "rules list --json: what each has" jq -e 'all(.[]; .rule != "" and .title != "" and (.trees | length > 0)
		and (.causes | length > 0) and (.facts | length > 0) and (.core | type == "boolean")
		and all(.thresholds[]; .name != "" and .value != "" and .origin != ""))' "$tmp/out"
	holds "rules list --json: a cause that only has wordings for kinds" jq -e '.[] | select(.rule == "egress-queue")
		| .causes | index("qdisc-drop") != null and (unique | length) == length' "$tmp/out"
	holds "rules list --json: a threshold in base units" jq -e '.[] | select(.rule == "receive-path") | .thresholds[]
		| select(.name == "wait") | .number == 0.001 and .unit == "s" and .value == "1ms" and .set == false' "$tmp/out"
	holds "rules list --json: probes" jq -e '.[] | select(.rule == "receive-path") | .probes | index("softirq") != null
		or length == 0' "$tmp/out"
	call rules list --json --set receive-path.wait=7ms
	holds "--set is seen" jq -e '.[] | select(.rule == "receive-path") | .thresholds[]
		| select(.name == "wait") | .number == 0.007 and .set' "$tmp/out"
	call rules list -v
	status 0
	says out '^receive-path +core +'
	says out '^  causes: softnet-backlog-drop, '
	says out '^  \$wait = 1ms \(guess'
	says out '^  reads: cpu\.softnet\.processed, '
	says out '^  probes needed: '
	call rules list
	lacks out '^ '
}

shows() {
	for rule in rules/*.yaml; do
		name=$(basename "$rule" .yaml)
		call rules show "$name"
		status 0
		silent err
		says out "^$name: "
		# Every question, cause and threshold of the file is on the page.
		sed -n 's/^ *- ask: *//p' "$rule" | sed "s/^[\"']//; s/[\"']\$//; s/ *#.*//" >"$tmp/asks"
		while read -r ask; do
			if grep -qF -- "$ask" "$tmp/out"; then ok; else no "rules show $name lacks '$ask'"; fi
		done <"$tmp/asks"
		call rules show "$name" --format mermaid
		says out '^flowchart TD$'
		holds "$name: as many subgraphs as ends" test "$(grep -c '^  subgraph ' "$tmp/out")" = "$(grep -c '^  end$' "$tmp/out")"
		call rules show "$name" --format dot
		says out '^digraph '
		says out '^}$'
		call rules show "$name" --format yaml
		holds "rules show --format yaml prints the file" cmp "$tmp/out" "$rule"
	done
	call rules show every-branch --rules "$tmp/rules" --set every-branch.few=3
	status 0
	says out '^tree first, for each cpu$'
	says out '^  only if cpu\.softnet\.processed\.rate > \$much$'
	says out '^    with \$much = 1000/s$'
	says out '^  \$lost = ratio\('
	says out '^  cpu\.softirq_saturated = .*library entities'
	says out '^  1\. Are "packets" <lost>\?$'
	says out '^      yes: asks first:$'
	says out '^        1\. Is it saturated\?$'
	says out '^            no: concludes cause-b$'
	says out '^      no: goes to branch other$'
	says out '^      unknown: goes on, at most suspected, and says "loss is unknown"$'
	says out '^  2\. concludes cause-a on argmax\(cpus, time\.soft\)$'
	says out '^  branch other$'
	says out '^        no: ruled out: "no squeeze"$'
	says out '^tree second, for each service and each peer$'
	holds "a tree with two scopes is shown once" test "$(grep -c '^tree second' "$tmp/out")" = 1
	says out '^  \$few +3 +arith \(changed by --set\)$'
	says out '^  cpu\.softnet\.dropped \.seen: counter.*; from softnet'
	says out '^    by hand: '
	says out '^probes needed: '
	call rules show every-branch --rules "$tmp/rules" --format mermaid
	says out 'Are #34;packets#34; #60;lost#62;\?'
	says out '\|"unknown: at most suspected"\|'
	holds "every arrow leads to a vertex" awk '/^    t[0-9]+n[0-9]+ -->/ { sub(/.*\| /, ""); to[$1] = 1; next }
		/^    t[0-9]+n[0-9]+/ { match($1, /^t[0-9]+n[0-9]+/); v[substr($1, 1, RLENGTH)] = 1 }
		END { for (t in to) if (!(t in v)) { print t; bad = 1 } exit bad }' "$tmp/out"
	call rules show every-branch --rules "$tmp/rules" --format dot
	says out 'label="Are \\"packets\\" <lost>\?'
	call rules show every-branch --rules "$tmp/rules" --format dto
	status 2
	says err "unknown format 'dto'; nearest is dot"
	printf 'rule: hostile\ntitle: "\\e[31mred"\n' >"$tmp/hostile.yaml"
	call rules show hostile --rules "$tmp/hostile.yaml"
	holds "no escape sequence reaches the terminal" sh -c '! grep -q "$(printf "\\033")" "$1"' sh "$tmp/out"
}

# softnet FOLDER NAME ROW…: a softnet_stat; a row has received, dropped, squeezed and the CPU, in hexadecimal.
softnet() {
	mkdir -p "$tmp/$1"
	file=$tmp/$1/$2
	shift 2
	z='00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000'
	for row; do
		echo "${row% *} $z ${row##* }"
	done >"$file"
}

whys() {
	softnet win softnet_stat@0 '00000000 00000000 00000000 00000000' '00000000 00000000 00000000 00000001'
	softnet win softnet_stat@10 '00030d40 00004e20 00000000 00000000' '00000010 00000000 00000000 00000001'
	call rules why softnet-backlog-drop --from "$tmp/win"
	status 1
	silent err
	says out '^softnet-backlog-drop, asked 2 times: 1 found, 1 not concerned$'
	says out '^cpu:0: found, confirmed, trigger \(rule receive-path, tree backlog\)$'
	says out '^  gate: yes$'
	says out '^     \$busy = 1000/s$'
	says out '^       cpu\.softnet\.processed\.rate = 20,000/s; in the window; from softnet_stat@10$'
	says out '^           by hand: '
	says out '^  1\. Does this CPU refuse packets .* yes \(decides\)$'
	says out '^     \$dropped = 10 %, \$min_packets = 10000, \$drop_share = 0\.01%$'
	says out '^cpu:1: not concerned: the gate is closed'
	says out 'cpu\.softnet\.processed\.rate = 1\.6/s'
	holds "worst first" awk '/^cpu:0/ { zero = NR } /^cpu:1/ { one = NR } END { exit !(zero && zero < one) }' "$tmp/out"
	softnet calm softnet_stat@0 '00000000 00000000 00000000 00000000'
	softnet calm softnet_stat@10 '00030d40 00000001 00000000 00000000'
	call rules why softnet-backlog-drop --from "$tmp/calm"
	status 0
	says out '^cpu:0: ruled out, at question 1 '
	says out '^     ruled out here: 0\.0005 % of the packets were refused at the backlog of cpu:0$'
	call rules why softnet-backlog-drop --from "$tmp/calm" --set receive-path.drop_share=0.0001%
	status 1
	call rules why softnet-time-squeeze --from "$tmp/win"
	status 3
	says out '^cpu:0: open: a fact is missing, at question 1 '
	says out '^     left open here$'
	says out 'cpu\.softirq\.net_rx\.seen = unknown \(not among the recorded files'
	call rules why nic-ring-overflow --from "$tmp/win"
	status 3
	says out '^rule receive-path: not examined, no iface could be read: '
	call rules why irq-affinity-single-cpu --from tests/cases/C030
	says out '^softirq-single-cpu|^irq-affinity-single-cpu, asked '
	says out '^     (ruled out|left open) here|found, '
	softnet one softnet_stat '000bb33c 00000471 00000000 00000000'
	call rules why softnet-backlog-drop --from "$tmp/one"
	status 3
	says out '^cpu:0: found, suspected, '
	says out 'cpu\.softnet\.dropped\.seen = 1,137; since boot; '
	says out 'yes \(decides\), by old or doubtful values$'
	call rules why cause-b --rules "$tmp/rules" --from "$tmp/calm"
	status 0
	says out '^cpu:0: ruled out, at question 2 '
	says out '^  1\. Are "packets" <lost>\? no \(requires\)$'
	says out '^     ruled out here: no squeeze$'
	call rules why cause-a --rules "$tmp/rules" --from "$tmp/calm"
	says out '^cpu:0: ruled out, at question 1 '
	rows=
	for i in 0 1; do
		for k in 0 1 2 3 4 5 6 7 8 9 a b c d e; do
			rows="$rows|00030d40 00004e20 00000000 000000$i$k"
		done
	done
	saved=$IFS
	IFS='|'
	# shellcheck disable=SC2086 # a row a word
	softnet many softnet_stat ${rows#|}
	IFS=$saved
	call rules why softnet-backlog-drop --from "$tmp/many"
	says out ', asked 30 times: 30 found$'
	says out '^and 10 more$'
	holds "20 are shown" test "$(grep -c '^cpu:' "$tmp/out")" = 20
	call rules why softnet-backlog-dorp
	status 2
	says err "nearest is softnet-backlog-drop"
	call rules why softnet-backlog-drop --from "$tmp/nonesuch"
	status 4
	call rules why softnet-backlog-drop --duration 0.2
	holds "live: status $rc" test "$rc" = 0 -o "$rc" = 1 -o "$rc" = 3
	says out '^softnet-backlog-drop, asked [1-9]'
}

covers() {
	call rules cover
	status 0
	silent err
	for line in 'branches are taken by a test' 'causes are concluded, ruled out and left open by tests' \
		'causes have a case among the' 'rules have references' 'facts are read by no rule; -v lists them'; do
		says out "^[0-9]+ of [1-9][0-9]* $line"
	done
	holds "every rule is there" test "$(grep -cE '^[a-z0-9-]+: [0-9]+ tests' "$tmp/out")" = "$(find rules -maxdepth 1 -name '*.yaml' | wc -l)"
	call rules cover "$tmp/rules"
	status 0
	says out '^every-branch: 1 tests$'
	holds "only the rules of the directory" test "$(grep -c '^[a-z-]*: ' "$tmp/out")" = 1
	says out 'every-branch\.yaml:10: tree first, no test answers no: \(gate\) '
	says out 'every-branch\.yaml:[0-9]+: tree first, no test answers no: Is it saturated\?$'
	lacks out 'no test answers yes: Is it saturated'
	lacks out 'no test answers yes: Are "packets"'
	says out 'tree second, no test answers yes: Are there many\?$'
	says out '^  cause-b: no test concludes it$'
	says out '^  cause-a: no test rules it out$'
	says out '^  cause-a: no test leaves it open$'
	lacks out 'cause-a: no test concludes it'
	says out '^  cause-c: no case in tests/cases$'
	says out '^  no references$'
	says out '^3 of 15 branches are taken'
	says out '^0 of 3 causes are concluded, ruled out and left open by tests$'
	says out '^0 of 1 rules have references$'
	call rules cover "$tmp/rules" -v
	says out '^  [a-z]+\.[a-z_.]+: no rule reads it$'
	lacks out '^  cpu\.softnet\.dropped: no rule reads it'
	printf '/    expect: {cause: cause-a}/s/cause-a/cause-c/\n' >"$tmp/sed"
	mkdir "$tmp/fails"
	sed -f "$tmp/sed" "$tmp/rules/every-branch.yaml" >"$tmp/fails/every-branch.yaml"
	call rules cover "$tmp/fails"
	says out '^  1 of its tests fail'
}

# One fact of each kind, type and unit, and every fact of some.
news() {
	awk '{ what = $2 " " $3; sub(/\..*/, "", $1) } !seen[$1 what]++ { print NR }' "$tmp/facts" >"$tmp/rows"
	mkdir -p "$tmp/new"
	while read -r row; do
		fact=$(sed -n "${row}s/ .*//p" "$tmp/facts")
		rm -f "$tmp/new/"*
		call rules new made --batch --fact "$fact" -o "$tmp/new/made.yaml"
		status 0
		silent out
		call rules lint "$tmp/new"
		status 0
		call rules test "$tmp/new"
		if [ "$(cat "$tmp/out")" = "3 passed, 0 failed" ]; then ok; else no "the tests of a rule about $fact"; fi
	done <"$tmp/rows"
	call rules cover "$tmp/new"
	says out '^3 of 3 branches are taken'
	says out '^1 of 1 causes are concluded, ruled out and left open'
	for scope in $(cut -d. -f1 "$tmp/facts" | sort -u); do
		call rules new made --scope "$scope"
		status 0
		says out "^scope: $scope "
	done
	call rules new made --scope cpu --fact softnet.dropped.delta --cause other
	says out '^  - conclude: other$'
	says out 'test: cpu\.softnet\.dropped\.rate > \$threshold$'
	call rules new made --fact cpu.softnet.dropped -o "$tmp/new"
	status 2
	says err 'is there already'
	call rules new other -o "$tmp/new"
	status 0
	holds "-o DIR names the file" test -s "$tmp/new/other.yaml"
	while IFS='|' read -r line pattern; do
		# shellcheck disable=SC2086 # words of a command line
		call $line
		status 2
		silent out
		says err "$pattern"
	done <<-END
		rules new|rules new needs NAME
		rules new Bad_Name|small letters, digits and dashes
		rules new ../x|small letters, digits and dashes
		rules new x --cause A|--cause A: small letters
		rules new x --scope cpux|--scope cpux: no kind of entity
		rules new x --fact cpu.softnet.droped|nearest is cpu.softnet.dropped
		rules new x --fact cpu.softnet.dropped --scope iface|belongs to a cpu, not to a iface
		rules new x -o $tmp/new/y.yaml|the file of rule x is called x.yaml
	END
	call rules new x -o "$tmp/nonesuch/x.yaml"
	status 5
	if command -v script >/dev/null; then
		printf 'cpu\nsoftnet.dropped\nmy-cause\n' |
			timeout 20 script -qec "$ND rules new asked -o $tmp/new" /dev/null >"$tmp/out" 2>"$tmp/err"
		said="rules new on a terminal"
		says out 'What does the rule look at, one by one\? \[iface\]: '
		holds "$said: the answers are in the rule" grep -q 'conclude: my-cause' "$tmp/new/asked.yaml"
		holds "$said: the fact" grep -q 'test: cpu.softnet.dropped.rate' "$tmp/new/asked.yaml"
	fi
}

docs() {
	call rules doc -o "$tmp/docs"
	status 0
	silent err
	says out '^[1-9][0-9]* rules and [1-9][0-9]* facts$'
	holds "docs/rules is not what netdoctor rules doc writes: run it" diff -r "$tmp/docs/rules" docs/rules
	holds "docs/facts.md is not what netdoctor rules doc writes: run it" diff "$tmp/docs/facts.md" docs/facts.md
	holds "every fact has a row" test "$(grep -c '^| `' "$tmp/docs/facts.md")" = "$(wc -l <"$tmp/facts")"
	holds "every row has six cells" awk -F'[^\\\\]\\|' '/^\| `/ && NF != 7 { print; bad = 1 } END { exit bad }' "$tmp/docs/facts.md"
	for part in 'mermaid' '## What it finds' '## Questions' '## Thresholds' '## Facts' 'Undo:' 'Risk: '; do
		holds "docs/rules/receive-path.md: $part" grep -q -- "$part" docs/rules/receive-path.md
	done
	call rules doc -o "$tmp/docs2" --rules "$tmp/rules"
	status 0
	holds "own rules get a page" grep -q 'Are "packets" \\<lost\\>?' "$tmp/docs2/rules/every-branch.md"
	call rules doc --rules "$tmp/rules"
	status 2
	says err 'rules doc --rules needs -o DIR'
	echo x >"$tmp/file"
	call rules doc -o "$tmp/file"
	status 5
	says err "$tmp/file"
	printf 'rule: ../../escaped\ntitle: x\nnotes: {n: {test: host.hz > 0, says: x}}\n' >"$tmp/noyaml"
	call rules doc -o "$tmp/docs3" --rules "$tmp/noyaml"
	status 5
	holds "a rule's name leads nowhere else" test ! -e "$tmp/escaped.md"
}

# Rules that the schema must refuse: a sed command for receive-path.yaml each.
schema() {
	call rules schema
	status 0
	silent err
	holds "docs/rule.schema.json is not what netdoctor rules schema prints: run it" diff "$tmp/out" docs/rule.schema.json
	holds "the schema is JSON" jq -e '.definitions.rule.properties | length > 15' "$tmp/out"
	for rule in rules/*.yaml; do
		holds "$rule begins with the line for editors" \
			sh -c 'test "$(head -n 1 "$1")" = "# yaml-language-server: \$schema=../docs/rule.schema.json"' sh "$rule"
	done
	python3 -c 'import yaml, jsonschema' 2>/dev/null || return 0
	cp "$tmp/rules/every-branch.yaml" "$tmp/new/"*.yaml rules/*.yaml rules/lib/*.yaml "$tmp/fails/"
	i=0
	mkdir "$tmp/wrong"
	while IFS= read -r change; do
		i=$((i + 1))
		sed "$change" rules/receive-path.yaml >"$tmp/wrong/$i.yaml"
		holds "a change for the schema changes nothing: $change" sh -c '! cmp -s "$1" rules/receive-path.yaml' sh "$tmp/wrong/$i.yaml"
	done <<-'END'
		s/^title:/titel:/
		s/^title:.*//
		s/^    scope: cpu$/    scope: cpux/
		s/grade: decides/grade: decide/
		s/if_no: {rule_out: /if_no: {rule_uot: /
		s/tier: stop-gap/tier: stopgap/
		s/origin: "guess: /origin: "guessed: /
		s/expect: none/expect: nothing/
		s/softnet.processed.rate: 90000/softnet.procesed.rate: 90000/
		s/{missing: no-permission}/{missing: because}/
		s/report: together/report: all/
		s/      cause: softnet-backlog-drop/      causes: softnet-backlog-drop/
		s/cpu:2: {time.soft: 78%}/cpux:2: {time.soft: 78%}/
	END
	python3 - "$tmp" docs/rule.schema.json >"$tmp/out" 2>&1 <<-'END'
		import glob, json, sys
		import jsonschema, yaml
		schema = json.load(open(sys.argv[2], encoding="utf-8"))
		jsonschema.Draft7Validator.check_schema(schema)
		validator = jsonschema.Draft7Validator(schema)
		for kind, right in (("fails", True), ("wrong", False)):
		    for path in sorted(glob.glob(sys.argv[1] + "/" + kind + "/*.yaml")):
		        valid = validator.is_valid(yaml.load(open(path, encoding="utf-8"), Loader=yaml.SafeLoader))
		        print("ok" if valid == right else "not ok", path, "is accepted" if valid else "is refused")
	END
	holds "the schema accepts every right rule and refuses every wrong one" \
		sh -c 'grep "^not ok\|Error" "$1" && exit 1; test "$(grep -c "^ok" "$1")" -gt 20' sh "$tmp/out"
}

# A library's log pattern serves the rules and its own derived facts; a rule's own pattern of that name goes first.
library_logs() {
	mkdir -p "$tmp/logs/lib"
	cat >"$tmp/logs/lib/kern.yaml" <<-'END'
		library: kern
		params: {recent: {value: 1h, origin: "arith: of this shift"}}
		logs:
		  down: {match: '(?<iface>\w+): Link is Down'}
		  hid: {match: 'never seen'}
		derive:
		  iface.flaps: {value: "count(iface.log.down[age < $recent])", doc: times it went down}
	END
	cat >"$tmp/logs/flap.yaml" <<-'END'
		rule: flap
		title: A link flaps
		params: {many: {value: 3, origin: "arith: three are no accident"}}
		logs:
		  hid: {match: 'Link is (?<how>\w+)'}
		scope: iface
		tree:
		  - ask: Does it flap?
		    test: iface.flaps >= $many and count(iface.log.down) >= $many and any(host.log.hid, how == "Down")
		    if_no: {rule_out: "it went down {iface.flaps} times"}
		  - conclude: flap
		causes:
		  flap: {title: "{iface} flaps", because: "It went down {iface.flaps} times."}
		tests:
		  - name: three times
		    given:
		      iface:eth0: {mtu: 1500}
		      log:
		        - {age: 1min, text: "eth0: Link is Down"}
		        - {age: 2min, text: "eth0: Link is Down"}
		        - {age: 3min, text: "eth0: Link is Down"}
		    expect: {cause: flap}
		  - name: twice in this hour
		    given:
		      iface:eth0: {mtu: 1500}
		      log:
		        - {age: 1min, text: "eth0: Link is Down"}
		        - {age: 2min, text: "eth0: Link is Down"}
		        - {age: 2h, text: "eth0: Link is Down"}
		    expect: clear
		  - name: the log was not read
		    given:
		      iface:eth0: {mtu: 1500}
		    expect: {open: flap}
	END
	call rules test "$tmp/logs"
	status 0
	says out '^3 passed, 0 failed$'
	call rules lint "$tmp/logs"
	status 0
}

# A rule with tests that fail in each way, a recorded folder, and a name that needs escaping in TAP and XML.
failing_rule() {
	mkdir -p "$tmp/tests/seen"
	printf 'Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors InCsumErrors\nUdp: 5012400 310 90210 5001200 90210 0 0\n' \
		>"$tmp/tests/seen/snmp@0"
	sed 's/5012400/5052400/; s/90210/90810/g' "$tmp/tests/seen/snmp@0" >"$tmp/tests/seen/snmp@20"
	cat >"$tmp/tests/drops.yaml" <<-'END'
		rule: drops
		title: Datagrams are dropped
		params:
		  share: {value: 0.1%, origin: "arith: one query in 1,000"}
		scope: netns
		let: {lost: "ratio(netns.udp.rcvbuf_errors.seen, netns.udp.in_datagrams.seen, 100)"}
		tree:
		  - ask: Are datagrams dropped?
		    test: $lost > $share
		    if_no: {rule_out: "{$lost} were dropped"}
		  - ask: Is this more than none?
		    test: netns.udp.rcvbuf_errors.seen > 0
		    grade: decides
		    if_no: {rule_out: none was}
		  - conclude: drops
		causes: {drops: {title: "Drops in {netns}", because: "{$lost} were dropped."}}
		tests:
		  - name: "a <name> & #1"
		    given: &given
	END
	sed -i '/&given/d' "$tmp/tests/drops.yaml"
	cat >>"$tmp/tests/drops.yaml" <<-'END'
		    given: {netns:host: {udp.in_datagrams.delta: 1000, udp.rcvbuf_errors.delta: 1}}
		    expect: {cause: drops}
		  - name: found, and should not be
		    given: {netns:host: {udp.in_datagrams.delta: 1000, udp.rcvbuf_errors.delta: 2}}
		    expect: clear
		  - name: a fact is missing
		    given: {netns:host: {udp.in_datagrams.delta: 1000}}
		    expect: clear
		  - name: recorded
		    case: seen
		    expect: {cause: drops, word: confirmed, says: "1.5 %"}
		  - name: recorded, and something else given
		    like: recorded
		    given: {netns:host: {udp.rcvbuf_errors.delta: 0}}
		    expect: clear
		  - name: recorded nowhere
		    case: nowhere
		    expect: clear
	END
}
tests_of_rules() {
	failing_rule
	call rules test "$tmp/tests"
	status 4
	says out '^2 passed, 4 failed$'
	says out '^not ok drops: a <name> & #1$'
	says out 'drops.yaml:[0-9]+: .*drops'
	says out '^      line [0-9]+, requires, no: \$lost > \$share  <- parted here: ruled out drops$'
	says out '^        netns:host netns.udp.rcvbuf_errors.seen = 1$'
	says out '^    drops, netns:host: drops  <- expected no finding$'
	says out 'requires, unknown: .*  <- left open drops$'
	says out 'case: .*/tests/nowhere'
	lacks out '^ok'
	call rules test -v "$tmp/tests"
	says out '^ok drops: recorded$'
	call rules test --format tap "$tmp/tests"
	status 4
	holds "TAP: version, plan, one line a test" sh -c 'head -n 1 "$1" | grep -qx "TAP version 13" && grep -qx "1\.\.6" "$1" &&
		test "$(grep -cE "^(not )?ok [1-6] - " "$1")" = 6' sh "$tmp/out"
	says out '^not ok 1 - drops: a <name> & \\#1$'
	says out '^# 2 passed, 4 failed$'
	holds "TAP: the diagnosis is YAML" python3 - "$tmp/out" <<-'END'
		import re, sys, yaml
		parts = re.findall(r"^  ---\n(.*?)^  \.\.\.$", open(sys.argv[1]).read(), re.S | re.M)
		assert len(parts) == 4, len(parts)
		for part in parts:
		    said = yaml.safe_load(part)
		    assert said["message"] and said["at"].endswith("drops.yaml") and said["line"] > 0
		assert "parted here" in yaml.safe_load(parts[0])["path"]
	END
	call rules test --format junit "$tmp/tests"
	status 4
	holds "JUnit: well-formed, and counts" python3 - "$tmp/out" <<-'END'
		import sys, xml.etree.ElementTree as x
		suite = x.parse(sys.argv[1]).getroot()
		assert suite.tag == "testsuite" and suite.get("tests") == "6" and suite.get("failures") == "4"
		cases = suite.findall("testcase")
		assert len(cases) == 6 and cases[0].get("name") == "a <name> & #1" and cases[0].get("classname") == "drops"
		assert "parted here" in cases[0].find("failure").text and cases[3].find("failure") is None
	END
	call rules test --format tpa "$tmp/tests"
	status 2
	says err "unknown format 'tpa'; nearest is tap"
	call rules cover "$tmp/tests"
	lacks out 'no test finds'
}

"$ND" facts list >"$tmp/facts"
every_branch
library_logs
tests_of_rules
lists
shows
whys
covers
news
docs
schema
closing
