/* What tests of lint share: a rule without a mistake, which each row of a table spoils in one place. */
#ifndef ND_LINT_FIXTURE_H
#define ND_LINT_FIXTURE_H

#include "engine/rule/lint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "collectors/collector.h"

static const char base[] =
	"# spoilt by tests: \xc3\xa4\n"
	"rule: base\n"
	"title: A rule to be spoilt\n"
	"params:\n"
	"  most: {value: 5%, origin: \"arith: as many\"}   # a comment\n"
	"  few: {value: 20, origin: \"arith: fewer are noise\"}\n"
	"scope: iface\n"
	"let:\n"
	"  lost: ratio(iface.rx.dropped.seen, iface.rx.packets.seen, $few)\n"
	"tree:\n"
	"  - ask: Does it lose packets?\n"
	"    test: $lost > $most\n"
	"    grade: decides\n"
	"    if_no: {rule_out: \"it lost {max($lost, 0)}\"}   # , } ] '\n"
	"  - ask: Is it a card?\n"
	"    test: iface.link_kind == \"physical\"\n"
	"    grade: supports\n"
	"    if_no: {cap: suspected}\n"
	"  - conclude: base\n"
	"causes:\n"
	"  base:\n"
	"    title: \"{iface} loses packets\"\n"
	"    because: \"{$lost} of them\"\n"
	"    refute:\n"
	"      - test: iface.mtu < 2 * iface.mtu - iface.mtu\n"
	"        because: never\n"
	"    fix:\n"
	"      - title: Mend it\n"
	"        tier: cure\n"
	"        risk: none\n"
	"        disrupts: no\n"
	"        run: |\n"
	"          echo {iface.key}\n"
	"        undo: echo no\n"
	"        verify: $lost < $most\n"
	"tests:\n"
	"  - name: lost\n"
	"    given: {iface:eth0: {mtu: 1500B, link_kind: physical, rx.dropped.delta: 90, rx.packets.delta: 900}}\n"
	"    rows:\n"
	"      - {iface:eth0: {rx.dropped.delta: 80}, expect: {cause: base}}\n"
	"      - {iface:eth0: {rx.dropped.delta: 9}, expect: none}\n"
	"      - {iface:eth0: {rx.dropped: {missing: no-permission}}, expect: {open: base}}\n";

struct row {
	const char *from, *to, *want;
};

/* base with `from` written as `to`; it must stand there once. */
static inline char *spoilt(const char *from, const char *to)
{
	const char *at = strstr(base, from);
	struct nd_buf out = {0};

	assert_non_null(at);
	assert_null(strstr(at + 1, from));
	nd_buf_put(&out, base, (size_t)(at - base));
	nd_buf_puts(&out, to);
	nd_buf_puts(&out, at + strlen(from));
	return out.s;
}

static inline struct nd_registry *registry(void)
{
	struct nd_registry *r = nd_registry_new();

	nd_collectors_register(r);
	return r;
}
#endif
