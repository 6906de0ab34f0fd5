/* Settings of a live card that its driver answers from memory: link, pause, offloads, coalescing.
 *
 * The ioctls and not the netlink family, because they are there on every kernel and say the same.
 * What a link mode's bit means is asked of the kernel by name (since 5.6), so that no table of ours
 * can be too old for it. */
#include "collectors/ethtool.h"
#include "collectors/netdev.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>

#define WORDS_MAX 8 /* of 32 link modes; 6.18 has 4 */
#define FEATURES_MAX 256

int nd_ethtool_ask(int fd, const char *name, void *request)
{
	struct ifreq ifr = {.ifr_data = request};

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", name);
	return ioctl(fd, SIOCETHTOOL, &ifr) < 0 ? -errno : 0;
}

/* The strings of a set, n of them, each of ETH_GSTRING_LEN bytes; free it. NULL: not told. */
static struct ethtool_gstrings *strings_of(int fd, const char *name, uint32_t set, uint32_t most)
{
	union {
		struct ethtool_sset_info info;
		char room[sizeof(struct ethtool_sset_info) + sizeof(uint32_t)];
	} q = {.room = {0}};
	struct ethtool_gstrings *g;
	uint32_t n;

	q.info.cmd = ETHTOOL_GSSET_INFO;
	q.info.sset_mask = 1ull << set;
	if (nd_ethtool_ask(fd, name, &q) != 0 || !q.info.sset_mask)
		return NULL;
	memcpy(&n, q.room + sizeof(struct ethtool_sset_info), sizeof(n));
	if (n == 0 || n > most)
		return NULL;
	g = nd_alloc(sizeof(*g) + ((size_t)most + 1) * ETH_GSTRING_LEN);
	g->cmd = ETHTOOL_GSTRINGS;
	g->string_set = set;
	g->len = n;
	if (nd_ethtool_ask(fd, name, g) == 0 && g->len <= most)
		return g;
	free(g);
	return NULL;
}

/* ---- the link ---- */

static void read_modes(struct nd_ethtool_modes *m, const uint32_t *masks, uint32_t words,
		       const struct ethtool_gstrings *names)
{
	for (int list = 0; list < 3; list++) {
		m->told[list] = true;
		for (uint32_t bit = 0; bit < words * 32 && bit < names->len; bit++) {
			char word[ETH_GSTRING_LEN + 1] = "";

			if (!(masks[(uint32_t)list * words + bit / 32] >> bit % 32 & 1))
				continue;
			memcpy(word, names->data + bit * ETH_GSTRING_LEN, ETH_GSTRING_LEN);
			nd_ethtool_add_modes(m, (enum nd_ethtool_list)list, word);
		}
	}
}

static void put_link(struct nd_facts *f, nd_id on, const struct ethtool_link_settings *s,
		     const struct nd_input *in)
{
	static const char *const ports[] = {"Twisted Pair", "AUI", "MII",
					    "FIBRE",	    "BNC", "Direct Attach Copper"};
	const char *duplex = s->duplex == DUPLEX_FULL	? "full"
			     : s->duplex == DUPLEX_HALF ? "half"
							: NULL;

	if (duplex)
		nd_put_text(f, on, &nd_ethtool_facts[ND_ET_DUPLEX], duplex, in);
	else
		nd_put_missing(f, on, &nd_ethtool_facts[ND_ET_DUPLEX], ND_NOT_ON_THIS_KERNEL,
			       "the link is down, or its driver does not tell");
	nd_put_bool(f, on, &nd_ethtool_facts[ND_ET_AUTONEG], s->autoneg == AUTONEG_ENABLE, in);
	if (s->port < ND_ARRAY_LEN(ports))
		nd_put_text(f, on, &nd_ethtool_facts[ND_ET_PORT], ports[s->port], in);
}

static void read_link(int fd, const char *name, struct nd_facts *f, nd_id on, struct nd_input *in)
{
	union { /* the settings end with the masks */
		struct ethtool_link_settings s;
		char room[sizeof(struct ethtool_link_settings) + 3 * WORDS_MAX * sizeof(uint32_t)];
	} q;
	struct nd_ethtool_modes modes = {.list = -1};
	struct ethtool_gstrings *names;
	int rc, words;

	memset(&q, 0, sizeof(q));
	q.s.cmd = ETHTOOL_GLINKSETTINGS;
	rc = nd_ethtool_ask(fd, name, &q);
	words = -q.s.link_mode_masks_nwords; /* the kernel says how many, in the negative */
	if (rc == 0 && words > 0 && words <= WORDS_MAX) {
		memset(&q, 0, sizeof(q));
		q.s.cmd = ETHTOOL_GLINKSETTINGS;
		q.s.link_mode_masks_nwords = (int8_t)words;
		rc = nd_ethtool_ask(fd, name, &q);
	}
	in->path = "ethtool ioctl GLINKSETTINGS";
	if (rc != 0 || words <= 0 || words > WORDS_MAX)
		return;
	put_link(f, on, &q.s, in);
	names = strings_of(fd, name, ETH_SS_LINK_MODES, WORDS_MAX * 32);
	if (!names)
		return;
	read_modes(&modes, q.s.link_mode_masks, (uint32_t)words, names);
	nd_ethtool_put_modes(f, on, &modes, in);
	free(names);
}

/* ---- others ---- */

static void read_pause(int fd, const char *name, struct nd_facts *f, nd_id on, struct nd_input *in)
{
	struct ethtool_pauseparam p = {.cmd = ETHTOOL_GPAUSEPARAM};

	in->path = "ethtool ioctl GPAUSEPARAM";
	if (nd_ethtool_ask(fd, name, &p) != 0)
		return;
	nd_put_bool(f, on, &nd_ethtool_facts[ND_ET_PAUSE_RX], p.rx_pause != 0, in);
	nd_put_bool(f, on, &nd_ethtool_facts[ND_ET_PAUSE_TX], p.tx_pause != 0, in);
}

static void read_coalesce(int fd, const char *name, struct nd_facts *f, nd_id on,
			  struct nd_input *in)
{
	struct ethtool_coalesce c = {.cmd = ETHTOOL_GCOALESCE};

	in->path = "ethtool ioctl GCOALESCE";
	if (nd_ethtool_ask(fd, name, &c) != 0)
		return;
	nd_put_bool(f, on, &nd_ethtool_facts[ND_ET_ADAPTIVE_RX], c.use_adaptive_rx_coalesce != 0,
		    in);
	nd_put_num(f, on, &nd_ethtool_facts[ND_ET_RX_USECS], c.rx_coalesce_usecs / 1e6, in);
	nd_put_num(f, on, &nd_ethtool_facts[ND_ET_TX_USECS], c.tx_coalesce_usecs / 1e6, in);
}

/* A bit for each feature, by the names that `ethtool -k` prints below its summaries. */
static void read_features(int fd, const char *name, struct nd_facts *f, nd_id on,
			  struct nd_input *in)
{
	static const struct {
		const char *name;
		enum nd_ethtool_fact fact;
	} features[] = {
		{"rx-checksum", ND_ET_RX_CSUM},
		{"tx-checksum-ip-generic", ND_ET_TX_CSUM},
		{"tx-checksum-ipv4", ND_ET_TX_CSUM},
		{"tx-tcp-segmentation", ND_ET_TSO},
		{"rx-gro", ND_ET_GRO},
		{"rx-gro-hw", ND_ET_GRO_HW},
		{"rx-lro", ND_ET_LRO},
		{"tx-udp_tnl-segmentation", ND_ET_TUNNEL},
	};
	union { /* the header ends with the blocks */
		struct ethtool_gfeatures g;
		char room[sizeof(struct ethtool_gfeatures) +
			  FEATURES_MAX / 32 * sizeof(struct ethtool_get_features_block)];
	} q;
	struct ethtool_gstrings *names = strings_of(fd, name, ETH_SS_FEATURES, FEATURES_MAX);
	bool on_of[ND_ARRAY_LEN(features)] = {false};

	memset(&q, 0, sizeof(q));
	q.g.cmd = ETHTOOL_GFEATURES;
	q.g.size = FEATURES_MAX / 32;
	in->path = "ethtool ioctl GFEATURES";
	if (!names || nd_ethtool_ask(fd, name, &q) != 0) {
		free(names);
		return;
	}
	for (uint32_t bit = 0; bit < names->len; bit++)
		for (size_t i = 0; i < ND_ARRAY_LEN(features); i++)
			if (strncmp((char *)names->data + bit * ETH_GSTRING_LEN, features[i].name,
				    ETH_GSTRING_LEN) == 0)
				on_of[i] = q.g.features[bit / 32].active >> bit % 32 & 1;
	free(names);
	on_of[2] = on_of[1] = on_of[1] || on_of[2]; /* one of the two forms is enough */
	for (size_t i = 0; i < ND_ARRAY_LEN(features); i++)
		nd_put_bool(f, on, &nd_ethtool_facts[features[i].fact], on_of[i], in);
}

static void read_carrier(int fd, const char *name, struct nd_facts *f, nd_id on,
			 struct nd_input *in)
{
	struct ethtool_value v = {.cmd = ETHTOOL_GLINK};

	in->path = "ethtool ioctl GLINK";
	if (nd_ethtool_ask(fd, name, &v) == 0)
		nd_put_bool(f, on, &nd_ethtool_facts[ND_ET_LINK], v.data != 0, in);
}

void nd_ethtool_read_settings(int fd, const char *name, struct nd_facts *f, nd_id on,
			      struct nd_input *in)
{
	read_link(fd, name, f, on, in);
	read_carrier(fd, name, f, on, in);
	read_pause(fd, name, f, on, in);
	read_coalesce(fd, name, f, on, in);
	read_features(fd, name, f, on, in);
	for (int k = ND_ET_DUPLEX; k < ND_ET_FACTS; k++)
		nd_put_missing(f, on, &nd_ethtool_facts[k], ND_NOT_ON_THIS_KERNEL,
			       "its driver does not tell it");
}
