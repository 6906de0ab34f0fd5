#!/bin/sh
# 108,000 established sockets on loopback: one full collection against `ss -tin` of the same, in pairs, and the memory it takes; then
# the text of a million sockets. Needs root, ss, jq. Other limits: RATIO=, MEMORY_KB=. The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lab/lib.sh
. tests/bench/lib.sh
CONNECTIONS=54000
MILLION=1000000

# seconds COMMAND…: wall time; what it prints goes to $LAB_DIR/said.
seconds() {
	/usr/bin/time -f '%e' -o "$LAB_DIR/time" "$@" >"$LAB_DIR/said" 2>&1
	tail -n 1 "$LAB_DIR/time"
}

# Wall time of one pass in seconds: all passes of the sockets collector, by their number.
one_pass() {
	inside "$ND" facts dump --only sockets --duration 100ms --stats >"$LAB_DIR/stats" 2>&1
	awk '$1 == "sockets" { sub("ms", "", $4); print $4 / 1000 / $2 }' "$LAB_DIR/stats"
}

memory_kb() {
	/usr/bin/time -f '%M' -o "$LAB_DIR/memory" "$@" >/dev/null 2>&1
	tail -n 1 "$LAB_DIR/memory"
}

live_part() {
	build hold
	start hold $CONNECTIONS
	i=0
	until grep -q ready "$LAB_DIR/hold.out"; do
		i=$((i + 1))
		[ $i -lt 600 ] || skip "no $CONNECTIONS connections: $(tail -n 1 "$LAB_DIR/hold.out")"
		sleep 0.1
	done
	: >"$LAB_DIR/ss"
	: >"$LAB_DIR/nd"
	: >"$LAB_DIR/ratio"
	for _ in 1 2 3 4 5 6 7; do
		s=$(seconds ip netns exec "$LAB_NS" ss -tin)
		n=$(one_pass)
		echo "$s" >>"$LAB_DIR/ss"
		echo "$n" >>"$LAB_DIR/nd"
		awk -v s="$s" -v n="$n" 'BEGIN { print n / s }' >>"$LAB_DIR/ratio"
	done
	echo "sockets $(inside ss -tan state established | grep -c :)"
	echo "ss_s $(median <"$LAB_DIR/ss")"
	echo "pass_s $(median <"$LAB_DIR/nd")"
	ratio=$(median <"$LAB_DIR/ratio")
	echo "ratio $ratio"
	verdict "$(awk -v r="$ratio" -v l="${RATIO:-0.25}" 'BEGIN { print (r > 0 && r <= l) }')" "one pass takes $ratio of the time of ss -tin, at most ${RATIO:-0.25} is expected"
	kb=$(memory_kb ip netns exec "$LAB_NS" "$ND" facts dump --only sockets --duration 1s)
	echo "memory_kb $kb"
	verdict "$((kb <= ${MEMORY_KB:-32768}))" "$kb KB of memory, at most ${MEMORY_KB:-32768} is expected"
	inside ss -tin >"$LAB_DIR/text"
	stop_all
}

# What ss printed, over and over, each time with other addresses.
text_part() {
	mkdir "$LAB_DIR/recorded"
	awk -v want=$MILLION 'NR == 1 { print; next } { line[n++] = $0 }
		END { for (k = 0; done < want; k++) for (i = 0; i + 1 < n && done < want; i += 2) {
			t = line[i]; gsub(/127\.0\.0\./, "10." k ".0.", t); print t; print line[i + 1]; done++ } }' \
		"$LAB_DIR/text" >"$LAB_DIR/recorded/ss-tin.txt"
	s=$(seconds "$ND" facts dump --only ss --from "$LAB_DIR/recorded")
	connections=$(awk '$1 ~ /^(service|peer):/ && $2 == "connections" { gsub(",", "", $3); n += $3 } END { print n + 0 }' "$LAB_DIR/said")
	kb=$(memory_kb "$ND" facts dump --only ss --from "$LAB_DIR/recorded")
	echo "text_sockets $(grep -c '^[A-Z]' "$LAB_DIR/recorded/ss-tin.txt") text_s $s text_memory_kb $kb"
	verdict "$((kb <= ${MEMORY_KB:-32768}))" "a million sockets in text take $kb KB, at most ${MEMORY_KB:-32768} is expected"
	verdict "$((connections == MILLION))" "$connections connections were grouped, $MILLION are in the text"
}

need ss /usr/bin/time
make_namespace
live_part
text_part
closing
