/* Names of network interrupts, as drivers build them; no rule, so a table of what is known.
 *
 * eth0-TxRx-3 (ixgbe, igb, igc, bnxt), i40e-eth0-TxRx-3, iavf-…, ice-… (driver in front),
 * ens5-Tx-Rx-3 (ena), ens192-rxtx-1 (vmxnet3), eth0-rx-0, eth0-tx-0 (igb, tg3), eth0-tx-0-rx-3 (old
 * bnx2x, tg3), eth0-fp-2 (bnx2x), eth0-q0-rx (xen), eth0-0 (bnx2, mlx4); virtio2-input.0,
 * virtio2-output.0 and mlx5_comp3@pci:0000:3b:00.0 name no interface: the one that owns the
 * interrupt has to be known. */
#include "collectors/irq_name.h"

#include "engine/core/str.h"

#include <ctype.h>

#define NAME_BYTES 128
#define QUEUE_MAX 65535

/* The digits at s as a queue number; negative if there are none. *end is behind them. */
static int64_t queue_number(const char *s, const char **end)
{
	char digits[8];
	size_t n = strspn(s, "0123456789");
	uint64_t v;

	*end = s + n;
	if (n == 0 || n >= sizeof(digits))
		return -1;
	memcpy(digits, s, n);
	digits[n] = '\0';
	return nd_parse_u64(digits, 10, &v) && v <= QUEUE_MAX ? (int64_t)v : -1;
}

bool nd_iface_name_usual(const char *name)
{
	static const char *const prefixes[] = {"eth", "en",  "em",  "wl", "ww", "ib",
					       "net", "lan", "wan", "sl", "swp"};
	size_t n = strlen(name);

	if (n == 0 || n > ND_IFNAME_MAX || !strpbrk(name, "0123456789"))
		return false;
	if (name[0] == 'p' && isdigit((unsigned char)name[1]) && strchr(name + 1, 'p'))
		return true; /* p3p1 */
	for (size_t i = 0; i < ND_ARRAY_LEN(prefixes); i++) {
		size_t m = strlen(prefixes[i]);

		/* "en" is followed by o, p, s, x, P or a digit; the others by a digit or those */
		if (nd_starts(name, prefixes[i]) && strpbrk(name + m, "0123456789") &&
		    strchr("opsxPabc0123456789", name[m]))
			return true;
	}
	return false;
}

/* Copies n bytes of an interface's name, without a driver's name and dash in front of it. */
static bool take_iface(const char *s, size_t n, char *out)
{
	static const char *const drivers[] = {"i40e-",	 "iavf-",  "ice-",
					      "i40evf-", "fm10k-", "gve-"};

	for (size_t i = 0; i < ND_ARRAY_LEN(drivers); i++) {
		size_t m = strlen(drivers[i]);

		if (n > m && strncmp(s, drivers[i], m) == 0) {
			s += m;
			n -= m;
			break;
		}
	}
	if (n == 0 || n > ND_IFNAME_MAX)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!isalnum((unsigned char)s[i]) && !strchr("_.-", s[i]))
			return false;
	}
	memcpy(out, s, n);
	out[n] = '\0';
	return true;
}

/* Behind the interface's name: the mark in lower case, and which queues its number names. */
struct mark {
	const char *text;
	bool rx, tx;
};
static const struct mark marks[] = {
	{"-tx-rx-", true, true}, {"-txrx-", true, true},     {"-rxtx-", true, true},
	{"-rx-tx-", true, true}, {"-combined-", true, true}, {"-fp-", true, true},
	{"-rx-", true, false},	 {"-tx-", false, true},	     {"-rx", true, false},
	{"-tx", false, true},
};

/* "-tx-0-rx-3": the second pair. */
static void take_second(const char *s, struct nd_irq_name *out)
{
	const char *end;

	if (out->rx < 0 && nd_starts(s, "-rx-"))
		out->rx = queue_number(s + 4, &end);
	else if (out->tx < 0 && nd_starts(s, "-tx-"))
		out->tx = queue_number(s + 4, &end);
}

/* The mark that comes first in the name, of those at one place the longest. */
static const struct mark *first_mark(const char *lower, const char **at)
{
	const struct mark *best = NULL;

	for (size_t i = 0; i < ND_ARRAY_LEN(marks); i++) {
		const char *here = strstr(lower, marks[i].text), *end;

		if (!here || queue_number(here + strlen(marks[i].text), &end) < 0 ||
		    (*end && *end != '-'))
			continue;
		if (best &&
		    (here > *at || (here == *at && strlen(marks[i].text) < strlen(best->text))))
			continue;
		best = &marks[i];
		*at = here;
	}
	return best;
}

static bool take_mark(const char *name, const char *lower, struct nd_irq_name *out)
{
	const char *at = NULL, *end;
	const struct mark *m = first_mark(lower, &at);
	int64_t number;

	if (!m || !take_iface(name, (size_t)(at - lower), out->iface))
		return false;
	number = queue_number(at + strlen(m->text), &end);
	out->rx = m->rx ? number : -1;
	out->tx = m->tx ? number : -1;
	take_second(end, out);
	out->marked = true;
	return true;
}

/* "eth0-q2-rx" */
static bool take_xen(const char *name, struct nd_irq_name *out)
{
	const char *q = strstr(name, "-q"), *end;
	int64_t number;

	if (!q)
		return false;
	number = queue_number(q + 2, &end);
	if (number < 0 || !take_iface(name, (size_t)(q - name), out->iface))
		return false;
	if (*end && strcmp(end, "-rx") != 0 && strcmp(end, "-tx") != 0)
		return false;
	out->rx = strcmp(end, "-tx") == 0 ? -1 : number;
	out->tx = strcmp(end, "-rx") == 0 ? -1 : number;
	out->marked = true;
	return true;
}

/* Names that hold a queue's number, but no interface. */
static bool take_nameless(const char *name, struct nd_irq_name *out)
{
	const char *dash = strchr(name, '-'), *end;

	if (nd_starts(name, "mlx5_comp")) {
		out->rx = out->tx = queue_number(name + strlen("mlx5_comp"), &end);
		return out->rx >= 0 && (*end == '@' || !*end);
	}
	if (!nd_starts(name, "virtio") || !dash)
		return false;
	if (nd_starts(dash, "-input."))
		out->rx = queue_number(dash + strlen("-input."), &end);
	else if (nd_starts(dash, "-output."))
		out->tx = queue_number(dash + strlen("-output."), &end);
	return out->rx >= 0 || out->tx >= 0;
}

/* "eth0", or "eth0-2" of drivers that just count. */
static bool take_plain(const char *name, struct nd_irq_name *out)
{
	const char *dash = strrchr(name, '-'), *end;
	int64_t number = dash ? queue_number(dash + 1, &end) : -1;

	if (number >= 0 && !*end && take_iface(name, (size_t)(dash - name), out->iface) &&
	    nd_iface_name_usual(out->iface)) {
		out->rx = out->tx = number;
		return true;
	}
	return take_iface(name, strlen(name), out->iface);
}

bool nd_irq_name_parse(const char *name, struct nd_irq_name *out)
{
	char lower[NAME_BYTES];
	size_t n = strlen(name);
	bool ok;

	*out = (struct nd_irq_name){.rx = -1, .tx = -1};
	if (n == 0 || n >= sizeof(lower))
		return false;
	for (size_t i = 0; i <= n; i++)
		lower[i] = (char)tolower((unsigned char)name[i]);
	ok = take_nameless(name, out) || take_mark(name, lower, out) || take_xen(name, out) ||
	     take_plain(name, out);
	out->usual = nd_iface_name_usual(out->iface);
	return ok;
}
