/* Pasted texts: command lines, prompts and banners, dates, and how a text is cut. */
#include "engine/core/source_paste.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const struct nd_read reads[] = {
	{"ss", 0, "*Recv-Q *Send-Q *\n\nTCP: *(estab *"},
	{"netstat -s", 0, "TcpExt:\n\nUdp:"},
	{"ethtool -S *", 0, "NIC statistics:"},
	{"ip link", 0, NULL},
	{"sysctl -a", 0, "net.[a-z]*.[a-z]* = *"},
	{"/proc/net/softnet_stat", 0, "[0-9a-f][0-9a-f]* 00000000 *"},
	{"/proc/interrupts", 0, "CPU0 *\nLOC: *"},
	{0},
};
static const struct nd_read *const lists[] = {reads};
static const struct nd_known known = {lists, 1};

static void test_commands(void **state)
{
	static const struct {
		const char *line, *name, *netns,
			*flags; /* k known, o options, f filtered, c changed, l loop, d date */
		double sleep;
	} rows[] = {
		{"ss -tin", "ss -tin", "", "ko", 0},
		{"sudo /usr/sbin/ss -tin", "ss -tin", "", "ko", 0},
		{"LC_ALL=C netstat -s | grep -i list", "netstat -s", "", "kof", 0},
		{"netstat -s | head -20 | sort", "netstat -s", "", "kof", 0},
		{"netstat -s 2>/dev/null | tee out.txt", "netstat -s", "", "ko", 0},
		{"netstat -s | awk '{print $1}'", "netstat -s", "", "koc", 0},
		{"netstat -s | grep -c TCP", "netstat -s", "", "koc", 0},
		{"ss -s > /tmp/x", "ss -s", "", "ko", 0},
		{"cat /proc/net/softnet_stat", "/proc/net/softnet_stat", "", "ko", 0},
		{"grep eth0 /proc/interrupts", "/proc/interrupts", "", "kof", 0},
		{"grep . /sys/class/net/eth0/mtu", "/sys/class/net/eth0/mtu", "", "ko", 0},
		{"head -n 5 /proc/interrupts", "/proc/interrupts", "", "kof", 0},
		{"tail -n +1 /proc/interrupts", "/proc/interrupts", "", "ko", 0},
		{"cat ss.txt", "ss.txt", "", "k", 0},
		{"sysctl -a", "sysctl -a", "", "ko", 0},
		{"sysctl net.core.somaxconn", "sysctl -a", "", "kof", 0},
		{"sysctl -n net.core.somaxconn", "/proc/sys/net/core/somaxconn", "", "ko", 0},
		{"ip netns exec blue ss -ltn", "ss -ltn", "blue", "ko", 0},
		{"ip -n blue -s link", "ip -s link", "blue", "ko", 0},
		{"nsenter -t 42 -n ss -s", "ss -s", "pid-42", "ko", 0},
		{"nsenter -t 42 -m ss -s", "ss -s", "", "ko", 0},
		{"docker exec -it web ss -s", "ss -s", "web", "ko", 0},
		{"kubectl exec -n x pod-1 -c app -- ss -s", "ss -s", "pod-1", "ko", 0},
		{"ssh -p 22 box 'ss -s | grep TCP'", "ss -s", "", "kof", 0},
		{"bash -c \"netstat -s\"", "netstat -s", "", "ko", 0},
		{"watch -n1 -d 'ss -s'", "ss -s", "", "kol", 1},
		{"watch -n 5 ss -s", "ss -s", "", "kol", 5},
		{"while true; do date; ss -s; sleep 10; done", "ss -s", "", "kold", 10},
		{"for i in 1 2 3; do ss -s; sleep 2; done", "ss -s", "", "kol", 2},
		{"ss -s; sleep 3; ss -s", "ss -s", "", "kol", 3},
		{"ss -s; netstat -s", "ss -s", "", "koc", 0},
		{"date", "", "", "kd", 0},
		{"date; ss -s", "ss -s", "", "kod", 0},
		{"sleep 10", "", "", "k", 10},
		{"frobnicate -x", "frobnicate -x", "", "o", 0},
		{"", "", "", "", 0},
		{"'", "", "", "", 0},
		{"| | ;; && >", "", "", "", 0},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct nd_command c;
		char flags[8];

		nd_command_of(rows[i].line, strlen(rows[i].line), &c);
		snprintf(flags, sizeof(flags), "%s%s%s%s%s%s", c.known ? "k" : "",
			 c.options ? "o" : "", c.filtered ? "f" : "", c.changed ? "c" : "",
			 c.loop ? "l" : "", c.date ? "d" : "");
		if (strcmp(c.name, rows[i].name) != 0 || strcmp(c.netns, rows[i].netns) != 0 ||
		    strcmp(flags, rows[i].flags) != 0 || c.sleep_s != rows[i].sleep)
			fail_msg("%s: '%s' in '%s' %s %g", rows[i].line, c.name, c.netns, flags,
				 c.sleep_s);
	}
}

static void test_marks(void **state)
{
	static const struct {
		const char *line;
		char kind; /* p prompt, b banner, m mention, f fence, w watch, or a blank */
		const char *name, *host;
	} rows[] = {
		{"[root@web1 ~]# ss -tin", 'p', "ss -tin", "web1"},
		{"[root@web1 ~]#", 'p', "", "web1"},
		{"[10:00:01 root@web1 ~]# foo", 'p', "foo", "web1"},
		{"root@web1:/proc/net# cat softnet_stat", 'p', "softnet_stat", "web1"},
		{"(venv) me@web1:~/a b$ ss -s", 'p', "ss -s", "web1"},
		{"web1:~ # ss -s", 'p', "ss -s", ""},
		{"bash-5.1# ss -s", 'p', "ss -s", ""},
		{"/ # netstat -s", 'p', "netstat -s", ""},
		{"$ ss -s", 'p', "ss -s", ""},
		{"$ frobnicate", 'p', "frobnicate", ""},
		{"# netstat -s", 'p', "netstat -s", ""},
		{"#netstat -s", 'p', "netstat -s", ""},
		{"    $ ss -s", 'p', "ss -s", ""},
		{"+ ss -s", 'p', "ss -s", ""},
		{"++ date", 'p', "", ""},
		{"➜  ~ ss -s", 'p', "ss -s", ""},
		{"==> /proc/net/softnet_stat <==", 'b', "/proc/net/softnet_stat", ""},
		{"### netstat -s ###", 'b', "netstat -s", ""},
		{"--- ss -s ---", 'b', "ss -s", ""},
		{"**ss -s**", 'b', "ss -s", ""},
		{"Output of ss -s:", 'b', "ss -s", ""},
		{"ss -s", 'b', "ss -s", ""},
		{"The output of `netstat -s` says", 'm', "netstat -s", ""},
		{"```console", 'f', "", ""},
		{"{noformat}", 'f', "", ""},
		{"Every 1.0s: ss -s        web1: Tue Dec  1 03:42:31 2026", 'w', "ss -s", ""},
		/* none of these */
		{"#kernel", ' ', "", ""},
		{"# Generated by somebody", ' ', "", ""},
		{"[  123.456789] eth0: link up # 1", ' ', "", ""},
		{"Linux version 5.4 (me@box) (gcc 9) #1 SMP", ' ', "", ""},
		{"TcpExtListenDrops  12 0.0", ' ', "", ""},
		{"    12 segments retransmitted", ' ', "", ""},
		{"net.core.somaxconn = 128", ' ', "", ""},
		{"LISTEN 0 128 *:80 *:*", ' ', "", ""},
		{"top talkers", ' ', "", ""},
		{"w", ' ', "", ""},
		{"", ' ', "", ""},
	};
	static const char kinds[] = {
		[ND_MARK_NONE] = ' ',	 [ND_MARK_PROMPT] = 'p', [ND_MARK_BANNER] = 'b',
		[ND_MARK_MENTION] = 'm', [ND_MARK_FENCE] = 'f',	 [ND_MARK_WATCH] = 'w'};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct nd_marker m;

		nd_mark_of(&known, rows[i].line, strlen(rows[i].line), true, &m);
		if (kinds[m.kind] != rows[i].kind || strcmp(m.command.name, rows[i].name) != 0 ||
		    strcmp(m.host, rows[i].host) != 0)
			fail_msg("%s: '%c' %s on '%s'", rows[i].line, kinds[m.kind], m.command.name,
				 m.host);
	}
}

static void test_dates(void **state)
{
	static const struct {
		const char *text;
		double t; /* NaN: it is none */
	} rows[] = {
		{"Tue Dec  1 03:42:31 UTC 2026", 1796096551},
		{"Tue Dec  1 03:42:31 2026", 1796096551},
		{"Tue Dec  1 03:42:31 AM CET 2026", 1796096551},
		{"Tue 01 Dec 2026 03:42:31 PM UTC", 1796139751},
		{"=== Tue Dec  1 03:42:31 UTC 2026 ===", 1796096551},
		{"2026-12-01T03:42:31+00:00", 1796096551},
		{"2026-12-01 03:42:31.5", 1796096551.5},
		{"Tue Dec  1 03:42:31 UTC", NAN},
		{"Tue Dec  1 25:42:31 UTC 2026", NAN},
		{"2026-13-01 03:42:31", NAN},
		{"2026-12-01 03:42:31 IP 192.0.2.1 > 192.0.2.2", NAN},
		{"[Tue Nov 20 22:30:22 2018] eth0: up", NAN},
		{"", NAN},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		double t = NAN;
		bool is = nd_date_of(rows[i].text, strlen(rows[i].text), &t);

		if (is == isnan(rows[i].t) || (is && fabs(t - rows[i].t) > 1e-6))
			fail_msg("%s: %d %.3f", rows[i].text, is, t);
	}
}

static void test_moments(void **state)
{
	static const struct {
		const char *name, *cut;
		double date;
		uint32_t order;
	} rows[] = {
		{"ss-20230105-101010", "ss", 1672913410, 0},
		{"ss_2023-01-05T10:10", "ss", 1672913400, 0},
		{"ss-1672913410", "ss", 1672913410, 0},
		{"netstat-s-before", "netstat-s", 0, 1},
		{"netstat-s.after", "netstat-s", 0, 2},
		{"ss-2", "ss", 0, 3},
		{"eth0.10", NULL, 0, 0}, /* a VLAN */
		{"ss-20231305-101010", NULL, 0, 0},
		{"ss-tin", NULL, 0, 0},
		{"", NULL, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct nd_moment m = {0};
		char cut[64];
		bool is = nd_moment_cut(rows[i].name, true, cut, sizeof(cut), &m);

		if (is != (rows[i].cut != NULL))
			fail_msg("%s: %d", rows[i].name, is);
		if (!is)
			continue;
		assert_string_equal(cut, rows[i].cut);
		assert_true(m.date == rows[i].date);
		assert_int_equal(m.order, rows[i].order);
	}
}

static void test_globs(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool match;
	} rows[] = {
		{"*", "", true},
		{"a*c", "abc", true},
		{"a*c", "abd", false},
		{"a?c", "abc", true},
		{"a?c", "ac", false},
		{"[0-9]*", "7x", true},
		{"[!0-9]*", "7x", false},
		{"[]x]", "]", true},
		{"[a-c]d", "bd", true},
		{"*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
		{"[", "[", false},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++)
		if (nd_glob(rows[i].pattern, strlen(rows[i].pattern), rows[i].text,
			    strlen(rows[i].text)) != rows[i].match)
			fail_msg("%s with %s", rows[i].pattern, rows[i].text);
}

static const char *recognised(const char *text)
{
	const struct nd_read *r = nd_recognise(&known, text, strlen(text));

	return r ? r->what : "nothing";
}

static void test_recognising(void **state)
{
	(void)state;
	assert_string_equal(recognised("hello\n\nTcpExt:\n  1 x\n"), "netstat -s");
	assert_string_equal(recognised("State Recv-Q Send-Q Local\r\n"), "ss");
	assert_string_equal(recognised("TCP:   51 (estab 4, closed 24)\n"), "ss");
	assert_string_equal(recognised("  CPU0  CPU1\nLOC: 1 2\n"), "/proc/interrupts");
	assert_string_equal(recognised("  CPU0  CPU1\nNET_RX: 1 2\n"), "nothing"); /* one of two */
	assert_string_equal(recognised("Udp:\nNIC statistics:\n"), "ethtool -S *"); /* says more */
	assert_string_equal(recognised(""), "nothing");
}

/* Parts as "name@t[netns]:lines", joined by blanks. */
static void expect_parts(const char *text, const char *want)
{
	struct nd_arena a = {0};
	struct nd_parts parts;
	struct nd_buf b = {0};

	nd_split_text(&a, &known, text, strlen(text), &parts);
	for (uint32_t i = 0; i < parts.n; i++) {
		const struct nd_part *p = &parts.v[i];
		unsigned lines = 0;

		for (size_t k = 0; k < p->len; k++)
			lines += p->text[k] == '\n';
		nd_buf_printf(&b, "%s%s", i ? " " : "", *p->name ? p->name : "-");
		if (p->mixed)
			nd_buf_putc(&b, '!');
		if (!isnan(p->t))
			nd_buf_printf(&b, "@%.0f", fmod(p->t, 100000));
		nd_buf_printf(&b, "%s%s:%u", *p->netns ? "%" : "", p->netns, lines);
	}
	assert_string_equal(nd_buf_str(&b), want);
	nd_buf_free(&b);
	free(parts.v);
	nd_arena_free(&a);
}

static void test_parts(void **state)
{
	(void)state;
	expect_parts("a\nb\n", "-:2");
	expect_parts("hello\n$ ss -s\nTotal\n$ netstat -s\nUdp:\n  1\n",
		     "-:1 ss -s:1 netstat -s:2");
	expect_parts("```\n$ ss -s\nx\n```\nprose\n```\nUdp:\n```\n", "ss -s:1 -:1");
	expect_parts("see `ss -s`:\n\n```\nx\n```\n", "ss -s:1");
	expect_parts("see `ss -s`\n\nmuch\n\nlater\n```\nx\n```\n", "-:4 -:1");
	expect_parts("$ ss -s\nx\n$ sleep 5\n$ ss -s\ny\n", "ss -s@0:1 ss -s@5:1");
	expect_parts("$ date\nTue Dec  1 03:42:31 UTC 2026\n$ ss -s\nx\n", "ss -s:1");
	expect_parts("$ date; ss -s\nTue Dec  1 03:42:31 UTC 2026\nx\n", "ss -s@96551:1");
	expect_parts("[10:00:00 r@h ~]# ss -s\nx\n[10:00:05 r@h ~]# ss -s\ny\n[10:01:00 r@h ~]#\n",
		     "ss -s@36005:1 ss -s@36060:1");
	expect_parts("[23:59:00 r@h ~]# ss -s\nx\n[23:59:58 r@h ~]# ss -s\ny\n[00:00:08 r@h ~]#\n",
		     "ss -s@86398:1 ss -s@86408:1");
	expect_parts("$ for i in 1 2; do netstat -s; sleep 2; done\nIp:\n 1 x\nIp:\n 2 x\n",
		     "netstat -s@0:2 netstat -s@2:2");
	expect_parts("$ watch -n1 cat /proc/net/softnet_stat\n00 00\n01 00\n",
		     "/proc/net/softnet_stat:2"); /* one screen */
	expect_parts("$ while true; do cat /proc/net/softnet_stat; sleep 1; done\n00 00\n01 00\n",
		     "/proc/net/softnet_stat!:2"); /* who knows how many processors */
	expect_parts(
		"$ for i in a b; do ethtool -S $i; done\nNIC statistics:\n x: 1\nNIC statistics:\n x: 2\n",
		"ethtool -S $i!:4");
	expect_parts("$ ip netns exec b ss -s\nx\n", "ss -s%b:1");
	expect_parts("/sys/class/net/a/mtu:1500\n/sys/class/net/b/mtu:9000\n",
		     "/sys/class/net/a/mtu:1 /sys/class/net/b/mtu:1");
	expect_parts("", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commands), cmocka_unit_test(test_marks),
		cmocka_unit_test(test_dates),	 cmocka_unit_test(test_moments),
		cmocka_unit_test(test_globs),	 cmocka_unit_test(test_recognising),
		cmocka_unit_test(test_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
