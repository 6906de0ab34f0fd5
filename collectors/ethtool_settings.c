/* What plain ethtool and its options -k, -a and -c say, a line at a time.
 *
 * Of the link modes only the fastest of each list matters: whether the link could run faster than
 * it does. Features go by the names of a summary, as all versions of ethtool print them; before 3.0
 * there were blanks in these names. */
#include "collectors/ethtool.h"
#include "collectors/netdev.h"

#include <strings.h>

/* ---- link modes ---- */

void nd_ethtool_add_modes(struct nd_ethtool_modes *m, enum nd_ethtool_list list, char *words)
{
	char *word;

	m->list = (int)list;
	m->told[list] = true;
	while ((word = nd_word(&words))) {
		size_t n = strspn(word, "0123456789");
		uint64_t mbit;

		if (!nd_starts(word + n, "base"))
			continue;
		word[n] = '\0';
		if (nd_parse_u64(word, 10, &mbit) && mbit > m->mbit[list] && mbit < UINT32_MAX)
			m->mbit[list] = mbit;
	}
}

bool nd_ethtool_more_modes(struct nd_ethtool_modes *m, char *line)
{
	if (m->list < 0)
		return false;
	nd_ethtool_add_modes(m, (enum nd_ethtool_list)m->list, line);
	return true;
}

void nd_ethtool_put_modes(struct nd_facts *f, nd_id on, const struct nd_ethtool_modes *m,
			  const struct nd_input *in)
{
	for (int i = 0; i < 3; i++) {
		const struct nd_fact_def *fact = &nd_ethtool_facts[ND_ET_SUPPORTED + i];

		if (m->told[i] && m->mbit[i])
			nd_put_num(f, on, fact, (double)m->mbit[i] * 1e6 / 8, in);
		else if (m->told[i])
			nd_put_missing(f, on, fact, ND_NOT_ON_THIS_KERNEL,
				       "the driver reports no such modes");
	}
}

/* ---- lines ---- */

struct line {
	const char *name;
	enum nd_ethtool_fact fact;
};

static const struct line *line_of(const struct line *lines, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(lines[i].name, name) == 0)
			return &lines[i];
	return NULL;
}

/* "on", "off [fixed]", "Yes", "no (No cable)"; anything else is not told. */
static void put_switch(struct nd_facts *f, nd_id on, enum nd_ethtool_fact fact, const char *value,
		       const struct nd_input *in)
{
	static const struct {
		const char *word;
		bool yes;
	} words[] = {{"on", true}, {"off", false}, {"yes", true}, {"no", false}};
	size_t n = strcspn(value, " \t[");

	for (size_t i = 0; i < ND_ARRAY_LEN(words); i++)
		if (strlen(words[i].word) == n && strncasecmp(words[i].word, value, n) == 0)
			nd_put_bool(f, on, &nd_ethtool_facts[fact], words[i].yes, in);
}

static void put_duplex(struct nd_facts *f, nd_id on, const char *value, const struct nd_input *in)
{
	if (strcasecmp(value, "full") == 0 || strcasecmp(value, "half") == 0)
		nd_put_text(f, on, &nd_ethtool_facts[ND_ET_DUPLEX],
			    *value == 'F' || *value == 'f' ? "full" : "half", in);
	else
		nd_put_missing(f, on, &nd_ethtool_facts[ND_ET_DUPLEX], ND_NOT_ON_THIS_KERNEL,
			       "the link is down, or its driver does not tell");
}

/* NOLINTNEXTLINE(readability-function-size): a line, and where it goes */
void nd_ethtool_setting(struct nd_facts *f, nd_id on, struct nd_ethtool_modes *m, const char *name,
			char *value, const struct nd_input *in)
{
	static const struct line switches[] = {{"Auto-negotiation", ND_ET_AUTONEG},
					       {"Link detected", ND_ET_LINK}};
	static const char *const lists[] = {"Supported link modes", "Advertised link modes",
					    "Link partner advertised link modes"};
	const struct line *l = line_of(switches, ND_ARRAY_LEN(switches), name);
	size_t digits = strspn(value, "0123456789");

	m->list = -1;
	for (int i = 0; i < 3; i++)
		if (strcmp(name, lists[i]) == 0)
			nd_ethtool_add_modes(m, (enum nd_ethtool_list)i, value);
	if (l) {
		put_switch(f, on, l->fact, value, in);
	} else if (strcmp(name, "Duplex") == 0) {
		put_duplex(f, on, value, in);
	} else if (strcmp(name, "Port") == 0 && *value) {
		nd_put_text(f, on, &nd_ethtool_facts[ND_ET_PORT], value, in);
	} else if (strcmp(name, "Speed") == 0 &&
		   (digits == 0 || strcmp(value + digits, "Mb/s") == 0)) {
		value[digits] = '\0'; /* "Unknown!" becomes empty */
		nd_netdev_put_speed(f, on, value, in);
	}
}

void nd_ethtool_feature(struct nd_facts *f, nd_id on, const char *name, const char *value,
			const struct nd_input *in)
{
	static const struct line lines[] = {
		{"rx-checksumming", ND_ET_RX_CSUM},
		{"tx-checksumming", ND_ET_TX_CSUM},
		{"tcp-segmentation-offload", ND_ET_TSO},
		{"generic-receive-offload", ND_ET_GRO},
		{"rx-gro-hw", ND_ET_GRO_HW},
		{"large-receive-offload", ND_ET_LRO},
		{"tx-udp_tnl-segmentation", ND_ET_TUNNEL},
	};
	const struct line *l;
	char plain[64];

	snprintf(plain, sizeof(plain), "%s", name);
	for (char *p = plain; *p; p++)
		if (*p == ' ')
			*p = '-';
	l = line_of(lines, ND_ARRAY_LEN(lines), plain);
	if (l)
		put_switch(f, on, l->fact, value, in);
}

void nd_ethtool_pause(struct nd_facts *f, nd_id on, const char *name, const char *value,
		      const struct nd_input *in)
{
	/* what was agreed comes behind what was asked for, and the later of one text wins */
	static const struct line lines[] = {
		{"RX", ND_ET_PAUSE_RX},
		{"TX", ND_ET_PAUSE_TX},
		{"RX negotiated", ND_ET_PAUSE_RX},
		{"TX negotiated", ND_ET_PAUSE_TX},
	};
	const struct line *l = line_of(lines, ND_ARRAY_LEN(lines), name);

	if (l)
		put_switch(f, on, l->fact, value, in);
}

void nd_ethtool_coalesce(struct nd_facts *f, nd_id on, const char *name, const char *value,
			 const struct nd_input *in)
{
	static const struct line lines[] = {{"rx-usecs", ND_ET_RX_USECS},
					    {"tx-usecs", ND_ET_TX_USECS}};
	const struct line *l = line_of(lines, ND_ARRAY_LEN(lines), name);
	uint64_t us;

	if (nd_starts(name, "Adaptive RX"))
		put_switch(f, on, ND_ET_ADAPTIVE_RX, name + strspn(name, "AdaptiveRX :"), in);
	else if (l && nd_parse_u64(value, 10, &us) && us < UINT32_MAX)
		nd_put_num(f, on, &nd_ethtool_facts[l->fact], (double)us / 1e6, in);
}
