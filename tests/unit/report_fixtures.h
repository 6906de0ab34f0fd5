/* Findings built by hand for the reports' tests, as the judge would hand them over. */
#ifndef ND_REPORT_FIXTURES_H
#define ND_REPORT_FIXTURES_H

#include "engine/judge/finding.h"

#include <math.h>

#define N(list) (list), (uint32_t)ND_ARRAY_LEN(list) /* two members that follow each other */
#define LIST(field, list)                                                                          \
	.field = (list), .n_##field = (uint32_t)ND_ARRAY_LEN(list) /* two that are named */
#define NUMBER(v, b)                                                                               \
	{                                                                                          \
		.type = ND_V_NUMBER, .basis = (b), .num = (v)                                      \
	}
#define MISSING(w, d)                                                                              \
	{                                                                                          \
		.type = ND_V_MISSING, .why = (w), .detail = (d)                                    \
	}

#define ABOUT                                                                                      \
	.version = "0.1.0", .source = "live", .symptom = "seen", .started_s = 1784548800,          \
	.ended_s = 1784548805, .utc_offset_s = 7200, .window = 5.02, .host_name = "web-7",         \
	.kernel = "6.1.0-18-amd64", .cpus = 32, .uptime = 3542400, .own_cpu = 0.118,               \
	.own_wall = 5.31

#define SOFTNET "/proc/net/softnet_stat"
#define SOFTNET_SHOW "awk 'NR == 23 {print $2}' /proc/net/softnet_stat"

/* ---- full: two causes, one the consequence of the other; every section has something ---- */

static struct nd_bucket wait_buckets[] = {
	{1e-5, 1e-4, 9000}, {1e-4, 1e-3, 2000}, {1e-3, 1e-2, 400}, {1e-2, INFINITY, 3}};
static const struct nd_hist wait_hist = {wait_buckets, ND_ARRAY_LEN(wait_buckets)};

static const struct nd_evidence_value full_drops[] = {
	{"cpu.softnet.dropped.delta", "cpu:22", NUMBER(1137, ND_B_WINDOW), ND_U_COUNT, SOFTNET,
	 SOFTNET_SHOW, false},
	{"cpu.softnet.processed.delta", "cpu:22", NUMBER(182204, ND_B_WINDOW), ND_U_COUNT, SOFTNET,
	 SOFTNET_SHOW, false},
};
static const struct nd_evidence_value full_queue[] = {
	{"cpu.softnet.queue.max", "cpu:22",
	 MISSING(ND_NOT_ON_THIS_KERNEL, "the column is there since 5.14"), ND_U_COUNT, SOFTNET, "",
	 false},
	{"host.sysctl.net.core.netdev_max_backlog", "host", NUMBER(1000, ND_B_STATE), ND_U_COUNT,
	 "/proc/sys/net/core/netdev_max_backlog", "sysctl net.core.netdev_max_backlog", false},
};
static const struct nd_evidence_value full_wait[] = {
	{"cpu.softirq.net_rx.wait",
	 "cpu:22",
	 {.type = ND_V_HIST, .basis = ND_B_WINDOW, .hist = &wait_hist},
	 ND_U_SECONDS,
	 "softirq probe",
	 "",
	 false},
	{"iface.physical",
	 "iface:eth0",
	 {.type = ND_V_BOOL, .basis = ND_B_STATE, .yes = true},
	 ND_U_NONE,
	 "/sys/class/net/eth0/device",
	 "",
	 false},
	{"iface.link_kind",
	 "iface:eth0",
	 {.type = ND_V_ABSENT, .basis = ND_B_STATE},
	 ND_U_NONE,
	 "",
	 "",
	 false},
};
static const struct nd_evidence full_path[] = {
	{"Does this CPU refuse packets because its backlog queue is full?",
	 "$dropped > $drop_share", ND_YES, ND_DECIDES, false, NULL, N(full_drops), 0},
	{"Was the queue seen more than half full?",
	 "cpu.softnet.queue.max > host.sysctl.net.core.netdev_max_backlog / 2", ND_UNKNOWN,
	 ND_SUPPORTS, false, "a burst fits between two samples", N(full_queue), 0},
	{"Does NET_RX start late after it is raised?", "p99(cpu.softirq.net_rx.wait) > $wait",
	 ND_YES, ND_REQUIRES, false, NULL, N(full_wait), 2},
};
static const struct nd_fix full_fixes[] = {
	{.tier = ND_STOP_GAP,
	 .title = "Let the queue absorb the bursts",
	 .risk = "low: up to twice the waiting time in a full queue",
	 .run = "sysctl -w net.core.netdev_max_backlog=2000",
	 .undo = "sysctl -w net.core.netdev_max_backlog=1000",
	 .persist = "echo 'net.core.netdev_max_backlog = 2000' > /etc/sysctl.d/90-netdoctor.conf",
	 .verify = "all(found, softnet.dropped.delta == 0)"},
	{.tier = ND_CURE,
	 .title = "Give RPS more CPUs",
	 .risk = "medium: more inter-processor interrupts; one flow still stays on one CPU",
	 .disrupts = "packets may be reordered once",
	 .run = "echo ff > /sys/class/net/eth0/queues/rx-0/rps_cpus\n"
		"echo ff00 > /sys/class/net/eth0/queues/rx-1/rps_cpus",
	 .undo = "echo 1 > /sys/class/net/eth0/queues/rx-0/rps_cpus\n"
		 "echo 1 > /sys/class/net/eth0/queues/rx-1/rps_cpus",
	 .verify = "all(found, softnet.dropped.delta == 0)",
	 .restart = "nothing; new flows use it at once"},
	{.tier = ND_CURE,
	 .title = "Raise the receive budget",
	 .risk = "low: longer runs",
	 .advice = "Raise `net.core.netdev_budget` step by step.",
	 .missing = "netdev_budget could not be read (no permission); "
		    "`sysctl net.core.netdev_budget` shows it"},
	{.tier = ND_LAST_RESORT,
	 .title = "Move the NIC's interrupts",
	 .not_offered = "the driver manages them itself"},
};
static const struct nd_related full_related[] = {
	{"packet-loss-path", "netns:host", "is its consequence"}};
static const char *const full_entities[] = {"cpu:22", "cpu:3", "cpu:5", "cpu:6", "cpu:7", "cpu:8"};
static const char *const full_references[] = {"https://docs.kernel.org/networking/scaling.html"};

static const struct nd_evidence_value loss_values[] = {
	{"netns.tcp.retrans_segs.seen", "netns:host", NUMBER(10456, ND_B_LIFETIME), ND_U_COUNT,
	 "/proc/net/snmp", "nstat -az TcpRetransSegs", false},
	{"netns.tcp.out_segs.seen", "netns:host", NUMBER(1214355, ND_B_INTERVAL), ND_U_COUNT,
	 "nstat", "nstat -az TcpOutSegs", true},
};
static const struct nd_evidence loss_path[] = {
	{"Are more than 0.1 % of the segments sent twice?",
	 "ratio(netns.tcp.retrans_segs.seen, netns.tcp.out_segs.seen, $min) > $share", ND_YES,
	 ND_REQUIRES, true, NULL, N(loss_values), 0},
};
static const struct nd_finding full_findings[] = {
	{.cause = "softnet-backlog-drop",
	 .rule = "receive-path",
	 .entity = "cpu:22",
	 LIST(entities, full_entities),
	 .word = ND_CONFIRMED,
	 .role = ND_TRIGGER,
	 .supports = 0,
	 .title = "Per-CPU backlog overflows on cpu:22",
	 .because =
		 "6 CPUs refused packets at their backlog queue, worst cpu:22: 1,137 of 182,204 "
		 "(0.62 %); the limit is 1,000 packets per CPU. "
		 "Only packets from RPS, loopback, veth or drivers without NAPI pass this queue.",
	 .delay = 0.044,
	 .touches = 0.91,
	 .share = 0.39,
	 .share_of = "the lost packets",
	 .fit = 0.8,
	 LIST(evidence, full_path),
	 LIST(fixes, full_fixes),
	 LIST(related, full_related),
	 LIST(references, full_references)},
	{.cause = "packet-loss-path",
	 .rule = "retransmissions",
	 .entity = "netns:host",
	 .word = ND_SUSPECTED,
	 .role = ND_CONSEQUENCE,
	 .supports = -1,
	 .title = "Packets are lost on the way",
	 .because = "0.86 % of the segments were sent twice.",
	 .cap = "all numbers are since boot",
	 .delay = NAN,
	 .touches = 0.0086,
	 .share = NAN,
	 .fit = 0.04,
	 .too_small = true,
	 LIST(evidence, loss_path)},
};
static const struct nd_ruled_out full_ruled_out[] = {
	{"nic-ring-overflow", "receive-path", "iface:eth0", 1,
	 "Does the NIC lose packets because no receive buffer is free?",
	 "0 of 9,182,204 packets found no buffer", true},
	{"conntrack-table-full", "conntrack", "netns:host", 0, "Is the table nearly full?",
	 "the table holds 812 of 262,144 entries", false},
};
static const struct nd_missing_fact needs_probe[] = {
	{"cpu.softirq.net_rx.wait", "cpu:22", ND_NOT_SAMPLED, "", "", "softirq"}};
static const struct nd_missing_fact no_right[] = {
	{"host.conntrack.max", "host", ND_NO_PERMISSION, "run as root",
	 "sysctl net.netfilter.nf_conntrack_max", NULL},
	{"host.conntrack.buckets", "host", ND_NO_PERMISSION, "run as root", "", NULL},
};
static const struct nd_missing_fact no_file[] = {{"netns.tcp.in_segs.seen", "netns:host",
						  ND_TOOL_OUTPUT_ABSENT, "no /proc/net/snmp",
						  "nstat -az TcpInSegs", NULL, "nstat -az"}};
static const struct nd_open full_open[] = {
	{"softnet-time-squeeze", "receive-path", "cpu:22", 3,
	 "Does NET_RX start late after it is raised?", 1, N(needs_probe),
	 "run `netdoctor run --deep` while it is slow"},
	{"runqueue-delay", "runqueue-delay", "host", 0, "Do threads wait for a CPU?", 1,
	 N(needs_probe), "run `netdoctor run --deep` while it is slow"},
	{"conntrack-chain-long", "conntrack", "host", 0, "Are the hash chains long?", 0,
	 N(no_right), "collect host.conntrack.max: sysctl net.netfilter.nf_conntrack_max"},
};
static const struct nd_unexamined full_unexamined[] = {
	{"conntrack", "table", true, "host", 0, N(no_right)},
	{"conntrack", "chains", true, "host", 0, N(no_right)},
	{"nic-link-flap", "flap", false, NULL, 0, N(needs_probe)},
	{"retransmissions", "tcp", false, NULL, 0, N(no_file)},
	{"receive-window", "local", false, NULL, 0, N(no_file)},
};
static const struct nd_note full_notes[] = {
	{"softnet-squeeze-idle", "receive-path", "cpu:3",
	 "time_squeeze grows on cpu:3, but the work went on at once", 2}};
static const struct nd_note full_contradictions[] = {
	{"two-sources", "retransmissions", "netns:host",
	 "nstat and /proc/net/snmp disagree about out_segs by more than 10 %", 0}};
static const struct nd_source_note full_inputs[] = {{"ss-tin.txt", "not recognised"},
						    {"sar.bin", "could not be read: binary"}};

static const struct nd_findings fixture_full = {
	ABOUT,
	.verdict = ND_CAUSES,
	.headline = "softnet-backlog-drop on cpu:22 (confirmed)",
	.examined = 41,
	.of = 44,
	LIST(findings, full_findings),
	LIST(ruled_out, full_ruled_out),
	LIST(open, full_open),
	LIST(unexamined, full_unexamined),
	LIST(notes, full_notes),
	LIST(contradictions, full_contradictions),
	LIST(inputs, full_inputs),
	.next = "apply the fix, then run `netdoctor run --port 443` again: "
		"the drops must have stopped",
};
#endif
