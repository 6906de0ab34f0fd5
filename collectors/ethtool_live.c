/* The ethtool ioctls of a live host: counters at each moment; driver, rings and channels once.
 *
 * There is no netlink form of the driver's counters (ETHTOOL_GSTATS). Only cards that are up are
 * asked: since 5.15 any of these ioctls wakes a sleeping device, and then only reads that every
 * driver answers from memory or a few registers; never its EEPROM, register dump or self test. */
#include "collectors/ethtool.h"

#include "collectors/netdev.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define NICS_MAX 64
#define COUNTERS_MAX 65536
/* The kernel writes as many values as the driver has at that moment, whatever room was offered, and
 * a driver may add queues between the two calls: the room is this much larger than what it said. */
#define SPARE(n) ((n)*2 + 4096)

struct nic {
	char name[IFNAMSIZ];
	char driver[ETHTOOL_BUSINFO_LEN];
	bool known; /* driver, rings and channels were asked for */
	struct nd_ethtool_set set;
	char *names; /* set.n of ETH_GSTRING_LEN + 1 bytes */
	struct ethtool_stats *stats;
};
struct state {
	int fd;
	struct nic nics[NICS_MAX];
	uint32_t n;
};

static bool is_up(int fd, const char *name)
{
	struct ifreq ifr = {0};

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", name);
	return ioctl(fd, SIOCGIFFLAGS, &ifr) == 0 && (ifr.ifr_flags & IFF_UP);
}

static enum nd_missing reason(int rc)
{
	return rc == -EPERM || rc == -EACCES ? ND_NO_PERMISSION : ND_NOT_ON_THIS_KERNEL;
}

/* ---- once ---- */

static void read_driver(int fd, struct nic *nic, struct nd_facts *f, nd_id on, struct nd_input *in)
{
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};

	if (nd_ethtool_ask(fd, nic->name, &info) != 0 || !info.driver[0])
		return;
	snprintf(nic->driver, sizeof(nic->driver), "%.*s", (int)sizeof(info.driver) - 1,
		 info.driver);
	in->path = "ethtool ioctl GDRVINFO";
	nd_put_text(f, on, &nd_netdev_facts[ND_IF_DRIVER], nic->driver, in);
}

static void read_rings(int fd, const struct nic *nic, struct nd_facts *f, nd_id on,
		       struct nd_input *in)
{
	struct ethtool_ringparam ring = {.cmd = ETHTOOL_GRINGPARAM};
	int rc = nd_ethtool_ask(fd, nic->name, &ring);

	in->path = "ethtool ioctl GRINGPARAM";
	for (int k = ND_ET_RING_RX; rc != 0 && k <= ND_ET_RING_TX_MAX; k++)
		nd_put_missing(f, on, &nd_ethtool_facts[k], reason(rc),
			       "driver %s tells no ring sizes: %s", nic->driver, strerror(-rc));
	if (rc != 0)
		return;
	nd_ethtool_put_size(f, on, ND_ET_RING_RX, ring.rx_pending, in);
	nd_ethtool_put_size(f, on, ND_ET_RING_RX_MAX, ring.rx_max_pending, in);
	nd_ethtool_put_size(f, on, ND_ET_RING_TX, ring.tx_pending, in);
	nd_ethtool_put_size(f, on, ND_ET_RING_TX_MAX, ring.tx_max_pending, in);
}

static void read_channels(int fd, const struct nic *nic, struct nd_facts *f, nd_id on,
			  struct nd_input *in)
{
	struct ethtool_channels c = {.cmd = ETHTOOL_GCHANNELS};
	int rc = nd_ethtool_ask(fd, nic->name, &c);

	in->path = "ethtool ioctl GCHANNELS";
	if (rc == 0) {
		const struct nd_ethtool_channels all = {.rx = c.rx_count,
							.combined = c.combined_count,
							.rx_max = c.max_rx,
							.combined_max = c.max_combined};

		nd_ethtool_put_channels(f, on, &all, in);
		return;
	}
	for (int k = ND_ET_CHANNELS; k <= ND_ET_CHANNELS_MAX; k++)
		nd_put_missing(f, on, &nd_ethtool_facts[k], reason(rc),
			       "driver %s tells no channels: %s", nic->driver, strerror(-rc));
}

/* ---- counters ---- */

static void forget_counters(struct nic *nic)
{
	free(nic->names);
	free(nic->stats);
	free(nic->set.counters);
	free(nic->set.meaning_of);
	nic->names = NULL;
	nic->stats = NULL;
	nic->set = (struct nd_ethtool_set){0};
}

/* How many counters the driver has now; negative errno. */
static int count_counters(int fd, const char *name)
{
	union { /* one u32 for each bit of the mask follows */
		struct ethtool_sset_info info;
		char room[sizeof(struct ethtool_sset_info) + sizeof(uint32_t)];
	} q = {.room = {0}};
	uint32_t n;
	int rc;

	q.info.cmd = ETHTOOL_GSSET_INFO;
	q.info.sset_mask = 1ull << ETH_SS_STATS;
	rc = nd_ethtool_ask(fd, name, &q);
	if (rc != 0)
		return rc;
	memcpy(&n, q.room + sizeof(struct ethtool_sset_info), sizeof(n));
	return q.info.sset_mask && n <= COUNTERS_MAX ? (int)n : 0;
}

static int read_names(int fd, struct nic *nic, uint32_t n)
{
	const size_t one = ETH_GSTRING_LEN;
	struct ethtool_gstrings *g = nd_alloc(sizeof(*g) + SPARE((size_t)n) * one);
	int rc;

	g->cmd = ETHTOOL_GSTRINGS;
	g->string_set = ETH_SS_STATS;
	g->len = n;
	rc = nd_ethtool_ask(fd, nic->name, g);
	if (rc == 0 && g->len != n)
		rc = -EAGAIN;
	nic->names = nd_alloc(n * (one + 1));
	nic->set.counters = nd_alloc(n * sizeof(*nic->set.counters));
	nic->set.meaning_of = nd_alloc(n);
	nic->set.n = rc == 0 ? n : 0;
	for (uint32_t i = 0; i < nic->set.n; i++) {
		char *name = nic->names + i * (one + 1);

		memcpy(name, g->data + i * one, one);
		nic->set.counters[i].name = nd_trim(name); /* vmxnet3 indents */
	}
	free(g);
	return rc;
}

static int read_values(int fd, struct nic *nic)
{
	const uint32_t n = nic->set.n;
	int rc;

	if (!nic->stats)
		nic->stats = nd_alloc(sizeof(*nic->stats) +
				      SPARE((size_t)n) * sizeof(nic->stats->data[0]));
	nic->stats->cmd = ETHTOOL_GSTATS;
	nic->stats->n_stats = n;
	rc = nd_ethtool_ask(fd, nic->name, nic->stats);
	if (rc == 0 && nic->stats->n_stats != n)
		return -EAGAIN; /* the names that we have are of other counters */
	for (uint32_t i = 0; rc == 0 && i < n; i++)
		nic->set.counters[i].value = nic->stats->data[i];
	return rc;
}

static int read_counters(int fd, struct nic *nic)
{
	int n = count_counters(fd, nic->name);
	int rc = 0;

	if (n <= 0)
		return n < 0 ? n : -EOPNOTSUPP;
	if ((uint32_t)n != nic->set.n) {
		forget_counters(nic);
		rc = read_names(fd, nic, (uint32_t)n);
		nic->set.driver = nic->driver[0] ? nic->driver : NULL;
		nd_ethtool_resolve(&nic->set);
	}
	if (rc == 0)
		rc = read_values(fd, nic);
	if (rc == -EAGAIN)
		forget_counters(nic);
	return rc;
}

/* ---- each moment ---- */

static void read_nic(int fd, struct nic *nic, struct nd_facts *f, nd_id on, struct nd_input *in)
{
	char why[128];
	int rc;

	if (!is_up(fd, nic->name)) {
		for (unsigned k = 0; k < ND_ET_FACTS; k++)
			nd_put_missing(f, on, &nd_ethtool_facts[k], ND_NOT_SAMPLED,
				       "it is down: asking its driver could wake the hardware");
		return;
	}
	if (!nic->known) {
		read_driver(fd, nic, f, on, in);
		read_rings(fd, nic, f, on, in);
		read_channels(fd, nic, f, on, in);
		nd_ethtool_read_settings(fd, nic->name, f, on, in);
		nic->known = true;
	}
	rc = read_counters(fd, nic);
	if (rc == -EAGAIN)
		rc = read_counters(fd, nic);
	in->path = "ethtool ioctl GSTATS";
	if (rc == 0) {
		nd_ethtool_put(f, on, &nic->set, in);
		return;
	}
	snprintf(why, sizeof(why), "driver %s gives no counters: %.60s", nic->driver,
		 strerror(-rc));
	nd_ethtool_none(f, on, reason(rc), why);
}

/* A card of the target's namespace: as netdev found, else by its device in sysfs. */
static bool is_card(struct nd_source *s, const struct nd_facts *f, nd_id on)
{
	nd_fact_id kind = nd_registry_find(nd_facts_registry(f), ND_IFACE,
					   nd_netdev_facts[ND_IF_LINK_KIND].name);
	struct nd_value v = nd_get(f, on, kind, ND_BARE);
	const char *name = nd_entity_key(f, on);
	char path[128], target[512];

	if (strchr(name, '@') || !nd_netdev_name_ok(name))
		return false;
	if (v.type == ND_V_TEXT)
		return strcmp(v.text, "physical") == 0;
	snprintf(path, sizeof(path), "/sys/class/net/%s/device", name);
	return nd_source_link(s, path, target, sizeof(target)) == 0;
}

static struct nic *nic_of(struct state *st, const char *name)
{
	struct nic *nic;

	for (uint32_t i = 0; i < st->n; i++)
		if (strcmp(st->nics[i].name, name) == 0)
			return &st->nics[i];
	if (st->n == NICS_MAX)
		return NULL;
	nic = &st->nics[st->n++];
	snprintf(nic->name, sizeof(nic->name), "%s", name);
	return nic;
}

/* The state of the run; the first call opens the socket. NULL with *rc and e filled. */
static struct state *open_state(void **at, int *rc, struct nd_err *e)
{
	struct state *st = *at;
	int fd;

	if (st)
		return st;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0); /* any family takes interface ioctls */
	if (fd < 0) {
		*rc = -errno;
		nd_fail(e, *rc, "a socket for ethtool: %s", strerror(-*rc));
		return NULL;
	}
	st = nd_alloc(sizeof(*st));
	st->fd = fd;
	*at = st;
	return st;
}

int nd_ethtool_live(struct nd_live *l, struct nd_facts *f, struct nd_err *e)
{
	int rc = 0;
	struct state *st = open_state(l->state, &rc, e);
	const nd_id *ids;
	uint32_t n;

	if (!st)
		return rc;
	ids = nd_entities(f, ND_IFACE, &n);
	for (uint32_t i = 0; i < n; i++) {
		struct nic *nic;

		if (!is_card(l->source, f, ids[i]))
			continue;
		nic = nic_of(st, nd_entity_key(f, ids[i]));
		if (nic)
			read_nic(st->fd, nic, f, ids[i], &l->in);
		else
			nd_ethtool_none(
				f, ids[i], ND_BUDGET,
				"there are more cards than are asked for their counters (64)");
	}
	for (unsigned k = 0; k < ND_ET_FACTS && l->last; k++)
		nd_fact_missing(f, &nd_ethtool_facts[k], ND_NOT_SAMPLED,
				"only cards that are up are asked, and no virtual interface");
	return 0;
}

void nd_ethtool_end(void *state)
{
	struct state *st = state;

	if (!st)
		return;
	close(st->fd);
	for (uint32_t i = 0; i < st->n; i++)
		forget_counters(&st->nics[i]);
	free(st);
}
