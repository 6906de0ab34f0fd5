/* Fixes as they are printed: complete commands with their undo, or prose that says which value is
 * missing; nothing that a name could turn into another command. */
#include "tests/unit/judge_view.h"

#define ONE "rule: one\ntitle: t\n"
#define RULE(scope, fix)                                                                           \
	ONE "params: {most: {value: 5, origin: 'arith: five'}}\n"                                  \
	    "scope: " scope "\ntree:\n  - {ask: q, test: " scope ".b, if_no: {rule_out: n}}\n"     \
	    "  - conclude: a\ncauses:\n  a:\n    title: t\n    because: b\n    fix:\n"             \
	    "      - title: Mend {" scope "}\n        tier: cure\n        risk: none\n" fix
#define LINE(text) "        " text "\n"
#define SAFE LINE("disrupts: no") LINE("verify: not host.b")

/* A line each of what is there: "run: …". */
static void put_fix(struct nd_buf *b, const struct nd_fix *x)
{
	const struct {
		const char *name, *text;
	} parts[] = {
		{"run", x->run},	 {"undo", x->undo},
		{"persist", x->persist}, {"verify", x->verify},
		{"restart", x->restart}, {"advice", x->advice},
		{"missing", x->missing}, {"not offered", x->not_offered},
	};

	for (size_t i = 0; i < ND_ARRAY_LEN(parts); i++) {
		if (parts[i].text)
			nd_buf_printf(b, "%s: %s\n", parts[i].name, parts[i].text);
	}
}

static void check_fixes(const struct outcome *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct nd_buf got = {0};
		struct judged j;

		open_judged(&j, (const char *const[]){rows[i].rule, NULL}, rows[i].given);
		assert_int_equal(judge(&j)->n_findings, 1);
		assert_int_equal(j.out->findings[0].n_fixes, 1);
		put_fix(&got, &j.out->findings[0].fixes[0]);
		same_text(nd_buf_str(&got), rows[i].want, rows[i].given);
		nd_buf_free(&got);
		close_judged(&j);
	}
}

/* ---- sysctl ---- */

static void test_sysctl(void **state)
{
#define SET(lines) RULE("netns", SAFE LINE("sysctl:") lines)
	static const char one[] = SET(LINE("  net.queue: pow2(netns.x)"));
	static const char usecs[] = SET(LINE("  net.usecs: 2ms"));
	static const char two[] = SET(LINE("  net.usecs: 2ms") LINE("  net.queue: '2 * $most'"));
	static const char host[] = RULE("host", SAFE LINE("sysctl:") LINE("  kernel.most: 9"));
	static const char inside[] =
		RULE("netns", SAFE LINE("inside: netns") LINE("sysctl:") LINE("  net.queue: 9"));
#define VERIFY "verify: not host.b\n"
	static const struct outcome rows[] = {
		{one, "netns:host: {b: yes, x: 100, sysctl.net.queue: 30}\n",
		 "run: sysctl -w net.queue=128\nundo: sysctl -w net.queue=30\n"
		 "persist: printf '%s\\n' 'net.queue = 128' > "
		 "/etc/sysctl.d/90-netdoctor-queue.conf\n" VERIFY},
		{one, "netns:host: {b: yes, x: 100, sysctl.net.queue: 128}\n",
		 "advice: Mend netns:host\n"
		 "not offered: the values are as it would set them already\n"},
		{one, "netns:host: {b: yes, sysctl.net.queue: 30}\n",
		 "advice: Mend netns:host\nmissing: netns.x is unknown\n"},
		{one, "netns:host: {b: yes, x: absent, sysctl.net.queue: 30}\n",
		 "advice: Mend netns:host\nmissing: pow2(netns.x) is none\n"},
		{one, "netns:host: {b: yes, x: 100}\n",
		 "advice: Mend netns:host\nmissing: sysctl net.queue is unknown\n"},
		/* the kernel's unit, both ways */
		{usecs, "netns:host: {b: yes, sysctl.net.usecs: 300us}\n",
		 "run: sysctl -w net.usecs=2000\nundo: sysctl -w net.usecs=300\n"
		 "persist: printf '%s\\n' 'net.usecs = 2000' > "
		 "/etc/sysctl.d/90-netdoctor-usecs.conf\n" VERIFY},
		/* in the order written, without those that would not change */
		{two, "netns:host: {b: yes, sysctl.net.usecs: 300us, sysctl.net.queue: 3}\n",
		 "run: sysctl -w net.usecs=2000\nsysctl -w net.queue=10\n"
		 "undo: sysctl -w net.usecs=300\nsysctl -w net.queue=3\n"
		 "persist: printf '%s\\n' 'net.usecs = 2000' 'net.queue = 10' > "
		 "/etc/sysctl.d/90-netdoctor-usecs.conf\n" VERIFY},
		{two, "netns:host: {b: yes, sysctl.net.usecs: 300us, sysctl.net.queue: 10}\n",
		 "run: sysctl -w net.usecs=2000\nundo: sysctl -w net.usecs=300\n"
		 "persist: printf '%s\\n' 'net.usecs = 2000' > "
		 "/etc/sysctl.d/90-netdoctor-usecs.conf\n" VERIFY},
		{two, "netns:host: {b: yes, sysctl.net.usecs: 300us}\n",
		 "advice: Mend netns:host\nmissing: sysctl net.queue is unknown\n"},
		{host, "host: {b: yes, sysctl.kernel.most: 4}\n",
		 "run: sysctl -w kernel.most=9\nundo: sysctl -w kernel.most=4\n"
		 "persist: printf '%s\\n' 'kernel.most = 9' > "
		 "/etc/sysctl.d/90-netdoctor-most.conf\n" VERIFY},
		/* another namespace: a prefix, and no file that would speak of the first one */
		{inside, "netns:host: {b: yes, sysctl.net.queue: 4}\n",
		 "run: sysctl -w net.queue=9\nundo: sysctl -w net.queue=4\n"
		 "persist: printf '%s\\n' 'net.queue = 9' > "
		 "/etc/sysctl.d/90-netdoctor-queue.conf\n" VERIFY},
		{inside, "netns:pod1: {b: yes, sysctl.net.queue: 4}\n",
		 "run: ip netns exec pod1 sysctl -w net.queue=9\n"
		 "undo: ip netns exec pod1 sysctl -w net.queue=4\n" VERIFY},
		{inside, "'netns:a b;x': {b: yes, sysctl.net.queue: 4}\n",
		 "run: ip netns exec 'a b;x' sysctl -w net.queue=9\n"
		 "undo: ip netns exec 'a b;x' sysctl -w net.queue=4\n" VERIFY},
		{inside, "netns:4026532281: {b: yes, sysctl.net.queue: 4}\n",
		 "advice: Mend netns:4026532281\n"
		 "missing: network namespace 4026532281 has no name: enter it through one of its "
		 "processes (`nsenter -n -t PID`)\n"},
	};

	(void)state;
	check_fixes(rows, ND_ARRAY_LEN(rows));
}

/* ---- run ---- */

static void test_run(void **state)
{
	static const char plain[] =
		RULE("cpu", LINE("disrupts: no") LINE("verify: cpu.x < $most")
				    LINE("run: echo {2 * cpu.w | us} > /a/{cpu.key}")
					    LINE("undo: echo {cpu.w | us} > /a/{cpu.key}")
						    LINE("persist: echo {cpu.x} {cpu.y}")
							    LINE("restart: 'all of {cpu}'"));
	static const char gated[] =
		RULE("cpu", SAFE LINE("when: cpu.c") LINE("else: '{cpu} is no good'")
				    LINE("run: echo {cpu.key}") LINE("undo: echo"));
	static const char advice[] = RULE("cpu", LINE("advice: 'look at {cpu}: x is {cpu.x}'"));
	static const char advised[] =
		RULE("cpu", SAFE LINE("run: echo {cpu.shown}") LINE("undo: echo")
				    LINE("advice: do it by hand"));
	static const struct outcome rows[] = {
		{plain, "cpu:3: {b: yes, w: 2ms, x: 1, y: 7}\n",
		 "run: echo 4000 > /a/3\nundo: echo 2000 > /a/3\npersist: echo 1 7\n"
		 "verify: cpu.x < 5\nrestart: all of cpu:3\n"},
		{plain, "cpu:3: {b: yes, w: 2ms, x: 1}\n", /* it costs only persist */
		 "run: echo 4000 > /a/3\nundo: echo 2000 > /a/3\nverify: cpu.x < 5\n"
		 "restart: all of cpu:3\n"},
		{plain, "cpu:3: {b: yes, w: absent, x: 1, y: 2}\n",
		 "restart: all of cpu:3\nadvice: Mend cpu:3\nmissing: 2 * cpu.w is none\n"},
		{gated, "cpu:3: {b: yes, c: yes}\n",
		 "run: echo 3\nundo: echo\nverify: not host.b\n"},
		{gated, "cpu:3: {b: yes, c: no}\n", "not offered: cpu:3 is no good\n"},
		{gated, "cpu:3: {b: yes, c: absent}\n", "not offered: cpu:3 is no good\n"},
		{gated, "cpu:3: {b: yes}\n", "run: echo 3\nundo: echo\nverify: not host.b\n"},
		{advice, "cpu:3: {b: yes, x: 4}\n", "advice: look at cpu:3: x is 4\n"},
		{advice, "cpu:3: {b: yes}\n", "advice: look at cpu:3: x is unknown\n"},
		{advised, "cpu:3: {b: yes, shown: 4}\n",
		 "run: echo 4\nundo: echo\nverify: not host.b\n"},
		{advised, "cpu:3: {b: yes}\n",
		 "advice: do it by hand\n"
		 "missing: cpu.shown is unknown: `cat /cpu/3/shown`\n"},
	};

	(void)state;
	check_fixes(rows, ND_ARRAY_LEN(rows));
}

/* Names come from the system: they stay one word of the command, whatever is in them. */
static void test_hostile_names(void **state)
{
	static const char text[] = RULE("iface", SAFE LINE("run: ip link set {iface.key} {iface.s}")
							 LINE("undo: ip link set {iface.key}"));
	static const char *const names[] = {
		"eth0", "a b", "a;reboot", "$(reboot)", "`reboot`", "a'b", "a\"b", "-a",  "a\\b",
		"a\nb", "*",   "~root",	   "a|b",	"a&b",	    "",	   "#a",   "a=b",
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(names); i++) {
		const char *text_of[] = {names[i], "x"};
		struct nd_input in = {.path = "x", .netns = "host"};
		struct nd_buf quoted = {0}, want = {0};
		struct judged j;
		nd_id on;

		open_judged(&j, (const char *const[]){text, NULL}, NULL);
		on = nd_entity(j.f, ND_IFACE, *names[i] ? names[i] : "empty");
		nd_put_bool(
			j.f, on,
			nd_registry_def(j.registry, nd_registry_find(j.registry, ND_IFACE, "b")),
			true, &in);
		nd_put_text(
			j.f, on,
			nd_registry_def(j.registry, nd_registry_find(j.registry, ND_IFACE, "s")),
			text_of[0], &in);
		judge(&j);
		nd_print_shell(&quoted, nd_entity_key(j.f, on));
		nd_buf_printf(&want, "ip link set %s ", nd_buf_str(&quoted));
		nd_print_shell(&want, names[i]);
		same_text(j.out->findings[0].fixes[0].run, nd_buf_str(&want), names[i]);
		nd_buf_free(&quoted);
		nd_buf_free(&want);
		close_judged(&j);
	}
}

/* What sh makes of it is what was there. */
static void test_sh_agrees(void **state)
{
	static const char text[] =
		RULE("iface", SAFE LINE("run: printf %s {iface.s}") LINE("undo: echo"));
	static const char *const words[] = {"a b", "$(echo x)", "`id`",	 "a'b\"c",
					    "*",   "~",		"a\\nb", "a;b"};
	const struct nd_fact_def *b, *s;

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(words); i++) {
		struct nd_input in = {.path = "x", .netns = "host"};
		char got[64] = "";
		struct judged j;
		FILE *sh;
		nd_id on;

		open_judged(&j, (const char *const[]){text, NULL}, NULL);
		b = nd_registry_def(j.registry, nd_registry_find(j.registry, ND_IFACE, "b"));
		s = nd_registry_def(j.registry, nd_registry_find(j.registry, ND_IFACE, "s"));
		on = nd_entity(j.f, ND_IFACE, "eth0");
		nd_put_bool(j.f, on, b, true, &in);
		nd_put_text(j.f, on, s, words[i], &in);
		sh = popen(judge(&j)->findings[0].fixes[0].run, "r");
		assert_non_null(sh);
		got[fread(got, 1, sizeof(got) - 1, sh)] = '\0';
		pclose(sh);
		assert_string_equal(got, words[i]);
		close_judged(&j);
	}
}

/* ---- each ---- */

static void test_each(void **state)
{
#define EACH(sets)                                                                                 \
	RULE("host", SAFE LINE("each: {" sets "}") LINE("run: echo {$to.key} > /irq/{$i.key}")     \
			     LINE("undo: echo {$i.s} > /irq/{$i.key}")                             \
				     LINE("persist: keep {$i.key} {$i.x}"))
	static const char step[] = EACH("i: irqs, to: cpus");
	static const char filtered[] = EACH("i: 'irqs[x > 0]', to: cpus");
	static const struct outcome rows[] = {
		/* in step: the first sets the length, the shorter one starts again */
		{step,
		 "host: {b: yes}\nirq:1: {s: a, x: 1}\nirq:2: {s: a, x: 1}\nirq:3: {s: b c, x: 1}\n"
		 "cpu:0-1: {x: 1}\n",
		 "run: echo 0 > /irq/1\necho 1 > /irq/2\necho 0 > /irq/3\n"
		 "undo: echo a > /irq/1\necho a > /irq/2\necho 'b c' > /irq/3\n"
		 "persist: keep 1 1\nkeep 2 1\nkeep 3 1\nverify: not host.b\n"},
		{step, "host: {b: yes}\nirq:1: {s: a, x: 1}\ncpu:0-7: {x: 1}\n",
		 "run: echo 0 > /irq/1\nundo: echo a > /irq/1\npersist: keep 1 1\n"
		 "verify: not host.b\n"},
		{step, "host: {b: yes}\nirq:1: {s: a}\ncpu:0: {x: 1}\n",
		 "run: echo 0 > /irq/1\nundo: echo a > /irq/1\nverify: not host.b\n"},
		{step, "host: {b: yes}\nirq:1: {s: a, x: 1}\nirq:2: {x: 1}\ncpu:0: {x: 1}\n",
		 "advice: Mend host\nmissing: irq.s of irq:2 is unknown\n"},
		{step, "host: {b: yes}\nnone: [irq]\ncpu:0: {x: 1}\n",
		 "advice: Mend host\nmissing: irqs is none\n"},
		{step, "host: {b: yes}\nirq:1: {s: a, x: 1}\nnone: [cpu]\n",
		 "advice: Mend host\nmissing: cpus is none\n"},
		{step, "host: {b: yes}\nirq:1: {s: a, x: 1}\n",
		 "advice: Mend host\nmissing: cpus is unknown\n"},
		{filtered, "host: {b: yes}\nirq:1: {s: a, x: 1}\nirq:2: {s: a}\ncpu:0: {x: 1}\n",
		 "advice: Mend host\nmissing: irqs[x > 0] is not known completely\n"},
	};

	(void)state;
	check_fixes(rows, ND_ARRAY_LEN(rows));
}

static void test_each_many(void **state)
{
	static const char text[] =
		RULE("host", SAFE LINE("each: {c: cpus}") LINE("run: echo {$c.key}")
				     LINE("undo: undo {$c.key}"));
	uint32_t lines = 1;
	struct judged j;

	(void)state;
	open_judged(&j, (const char *const[]){text, NULL}, "host: {b: yes}\ncpu:0-99: {x: 1}\n");
	for (const char *s = judge(&j)->findings[0].fixes[0].run; *s; s++)
		lines += *s == '\n';
	assert_int_equal(lines, 64);
	assert_non_null(strstr(j.out->findings[0].fixes[0].run, "\necho 63"));
	assert_true(nd_ends(j.out->findings[0].fixes[0].undo, "\nundo 63"));
	close_judged(&j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sysctl),	      cmocka_unit_test(test_run),
		cmocka_unit_test(test_hostile_names), cmocka_unit_test(test_sh_agrees),
		cmocka_unit_test(test_each),	      cmocka_unit_test(test_each_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
