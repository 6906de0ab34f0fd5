/* Network interfaces from recorded text: ip link, ifconfig, netstat -i, /proc/net/dev and a copied
 * sysfs.
 *
 * The format is known by its content, for people name files as they like. All but `ip` show a
 * "drop" that is rx_dropped plus rx_missed_errors; it is taken for rx.dropped only while nothing
 * has told the two apart. The last number of a text without a newline at its end may have been cut
 * and is left out. */
#include "collectors/netdev.h"

#include "collectors/collector.h"

#include <errno.h>

#define COLUMNS_MAX 40
#define NO_FACT (-1)
#define FOLDED_DROP (-2)

struct reader;
typedef int line_fn(struct reader *r, char *line, struct nd_err *e);

struct columns {
	int fact[COLUMNS_MAX]; /* of enum nd_netdev_fact, NO_FACT or FOLDED_DROP */
	uint32_t n;
};
struct reader {
	const struct nd_input *in;
	struct nd_stream *s;
	struct nd_facts *f;
	line_fn *format;
	nd_id on; /* the interface that lines speak of, or ND_NO_ENTITY */
	bool tx; /* the side that they speak of */
	bool numbers_next; /* ip: the header was read, its numbers come */
	struct columns columns;
	uint32_t seen; /* interfaces */
};

/* ---- putting ---- */

static bool is_known(const struct reader *r, enum nd_netdev_fact fact)
{
	nd_fact_id id =
		nd_registry_find(nd_facts_registry(r->f), ND_IFACE, nd_netdev_facts[fact].name);

	return nd_get(r->f, r->on, id, ND_TOTAL).type == ND_V_NUMBER;
}

static void put(const struct reader *r, int fact, uint64_t v)
{
	if (fact == FOLDED_DROP && is_known(r, ND_IF_RX_MISSED))
		return;
	if (fact == FOLDED_DROP)
		fact = ND_IF_RX_DROPPED;
	if (fact == ND_IF_MTU)
		nd_put_num(r->f, r->on, &nd_netdev_facts[fact], (double)v, r->in);
	else if (fact >= 0)
		nd_put_reading(r->f, r->on, &nd_netdev_facts[fact], v, r->in);
}

static void put_text(const struct reader *r, enum nd_netdev_fact fact, const char *text)
{
	nd_put_text(r->f, r->on, &nd_netdev_facts[fact], text, r->in);
}

/* Makes name the interface that the next lines speak of. */
static bool begin(struct reader *r, const char *name)
{
	r->numbers_next = false;
	r->on = ND_NO_ENTITY;
	if (!nd_netdev_name_ok(name))
		return false;
	r->on = nd_netdev_entity(r->f, name, r->in);
	r->seen++;
	if (strcmp(name, "lo") == 0)
		put_text(r, ND_IF_LINK_KIND, "loopback");
	return true;
}

/* Was the word in front of rest perhaps longer? Only the last one of a text without a newline. */
static bool may_be_cut(const struct reader *r, const char *rest)
{
	return !*rest && nd_stream_unended(r->s);
}

/* A row of numbers under known columns; columns without a fact may hold anything. */
static int put_row(const struct reader *r, char *line, struct nd_err *e)
{
	uint64_t v[COLUMNS_MAX];
	bool good[COLUMNS_MAX] = {false};
	uint32_t i = 0;
	char *word;

	for (; i < r->columns.n && (word = nd_word(&line)); i++) {
		if (r->columns.fact[i] == NO_FACT)
			continue;
		if (!nd_parse_u64(word, 10, &v[i]))
			return nd_parse_fail(r->in, r->s, e, "a number", word);
		good[i] = !may_be_cut(r, line);
	}
	if (i < r->columns.n)
		return nd_parse_fail(r->in, r->s, e, "a number in each column", "too few");
	for (i = 0; i < r->columns.n; i++)
		if (good[i])
			put(r, r->columns.fact[i], v[i]);
	return 0;
}

struct column_name {
	const char *name;
	int rx, tx;
};

static void add_column(struct columns *c, const char *name, bool tx,
		       const struct column_name *names, size_t n)
{
	int fact = NO_FACT;

	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i].name, name) == 0)
			fact = tx ? names[i].tx : names[i].rx;
	if (c->n < COLUMNS_MAX)
		c->fact[c->n++] = fact;
}

/* ---- ip -s [-s] [-d] link ---- */

/*	2: eth0@if3: <UP> mtu 1500 qdisc mq master br0 state UP
 *	    link/ether 02:… promiscuity 0 … parentbus pci parentdev 0000:00:03.0      (-d)
 *	    veth addrgenmode eui64                                                    (-d)
 *	    RX:  bytes packets errors dropped  missed   mcast          (dropped overrun mcast:
 *before 5.11) 19765414     506      0       0       0       0 */
static const struct column_name ip_columns[] = {
	{"bytes", ND_IF_RX_BYTES, ND_IF_TX_BYTES},
	{"packets", ND_IF_RX_PACKETS, ND_IF_TX_PACKETS},
	{"errors", ND_IF_RX_ERRORS, ND_IF_TX_ERRORS},
	{"dropped", ND_IF_RX_DROPPED, ND_IF_TX_DROPPED},
	{"missed", ND_IF_RX_MISSED, NO_FACT},
	{"carrier", NO_FACT, ND_IF_TX_CARRIER},
	{"crc", ND_IF_RX_CRC, NO_FACT},
	{"fifo", ND_IF_RX_FIFO, NO_FACT},
	{"nohandler", ND_IF_RX_NOHANDLER, NO_FACT},
	{"transns", NO_FACT, ND_IF_CARRIER_CHANGES},
};

/* First words of the lines that -d adds, and that are a link's own kind: "bridge_slave" is its
 * master's. */
static const char *const kinds[] = {
	"bond",	   "bridge",  "can",	"dummy",  "erspan", "geneve",	 "gre",	   "gretap",
	"hsr",	   "ifb",     "ip6gre", "ip6tnl", "ipip",   "ipvlan",	 "ipvtap", "macsec",
	"macvlan", "macvtap", "netkit", "nlmon",  "sit",    "team",	 "tun",	   "vcan",
	"veth",	   "vlan",    "vrf",	"vti",	  "vxlan",  "wireguard", "xfrm",
};

/* A word of the first line, and the one before it. True for the master. */
static bool ip_pair(const struct reader *r, const char *key, char *value)
{
	uint64_t mtu;

	if (strcmp(key, "mtu") == 0 && nd_parse_u64(value, 10, &mtu)) {
		put(r, ND_IF_MTU, mtu);
	} else if (strcmp(key, "state") == 0) {
		for (char *p = value; *p; p++)
			*p = (char)(*p >= 'A' && *p <= 'Z' ? *p - 'A' + 'a' : *p);
		put_text(r, ND_IF_STATE, value);
	} else if (strcmp(key, "master") == 0 && nd_netdev_name_ok(value)) {
		nd_relate(r->f, r->on, ND_IFACE_MASTER, nd_netdev_entity(r->f, value, r->in));
		return true;
	}
	return false;
}

static int ip_head(struct reader *r, char *line, struct nd_err *e)
{
	const char *key = "";
	bool master = false;
	char *name, *word;

	(void)nd_split(&line, ":"); /* the number */
	name = nd_word(&line);
	if (name && nd_ends(name, ":"))
		name[strlen(name) - 1] = '\0';
	if (name)
		name[strcspn(name, "@")] = '\0';
	if (!name || !begin(r, name))
		return nd_parse_fail(r->in, r->s, e, "an interface's name",
				     name ? name : "nothing");
	while ((word = nd_word(&line)) && !may_be_cut(r, line)) {
		master = ip_pair(r, key, word) || master;
		key = word;
	}
	if (!master && !nd_stream_unended(r->s))
		nd_relate_none(r->f, r->on, ND_IFACE_MASTER);
	return 0;
}

/* "RX: bytes packets …", "RX errors: length crc …" */
static void ip_columns_of(struct reader *r, char *line)
{
	char *word;

	r->tx = *line == 'T';
	r->columns.n = 0;
	line = strchr(line, ':') + 1;
	while ((word = nd_word(&line)))
		add_column(&r->columns, word, r->tx, ip_columns, ND_ARRAY_LEN(ip_columns));
	r->numbers_next = true;
}

static void ip_detail(const struct reader *r, const char *line)
{
	size_t n = strcspn(line, " ");

	if (nd_starts(line, "link/loopback"))
		put_text(r, ND_IF_LINK_KIND, "loopback");
	else if (nd_starts(line, "link/") && strstr(line, " parentdev "))
		put_text(r, ND_IF_LINK_KIND, "physical");
	for (size_t i = 0; i < ND_ARRAY_LEN(kinds); i++)
		if (strlen(kinds[i]) == n && memcmp(kinds[i], line, n) == 0 &&
		    !may_be_cut(r, line + n))
			put_text(r, ND_IF_LINK_KIND, kinds[i]);
}

static int ip_line(struct reader *r, char *line, struct nd_err *e)
{
	const bool head = *line >= '0' && *line <= '9';

	if (head)
		return ip_head(r, line, e);
	line = nd_trim(line);
	if (r->on == ND_NO_ENTITY)
		return 0;
	if (r->numbers_next) {
		r->numbers_next = false;
		return put_row(r, line, e);
	}
	if ((nd_starts(line, "RX") || nd_starts(line, "TX")) && strchr(line, ':'))
		ip_columns_of(r, line);
	else
		ip_detail(r, line);
	return 0;
}

/* ---- ifconfig ---- */

/*	eth0      Link encap:Ethernet …                     eth0: flags=4163<UP,…>  mtu 1500
 *	          RX packets:5 errors:0 dropped:0 …                 RX packets 5  bytes 60 (60.0 B)
 *	          RX bytes:60 (60.0 B)  TX bytes:0 (0.0 B)          RX errors 0  dropped 0  overruns
 *0  frame 0 */
static const struct column_name ifconfig_words[] = {
	{"packets", ND_IF_RX_PACKETS, ND_IF_TX_PACKETS},
	{"bytes", ND_IF_RX_BYTES, ND_IF_TX_BYTES},
	{"errors", ND_IF_RX_ERRORS, ND_IF_TX_ERRORS},
	{"dropped", FOLDED_DROP, ND_IF_TX_DROPPED},
	{"overruns", ND_IF_RX_FIFO, NO_FACT},
	{"frame", ND_IF_RX_FRAME, NO_FACT},
	{"carrier", NO_FACT, ND_IF_TX_CARRIER},
};

/* The name; *at moves on to what follows it. */
static int ifconfig_head(struct reader *r, char **at, struct nd_err *e)
{
	char *line = *at;
	size_t n = strcspn(line, " \t");
	char *rest = line + n + (line[n] != '\0');

	*at = rest;
	line[n] = '\0';
	if (n && line[n - 1] == ':')
		line[n - 1] = '\0';
	if (strchr(line, ':')) { /* eth0:1 is an address of eth0 and counts nothing */
		r->on = ND_NO_ENTITY;
		return 0;
	}
	if (!strstr(rest, "encap:") && !strstr(rest, "flags=")) {
		r->on = ND_NO_ENTITY;
		return nd_parse_fail(r->in, r->s, e,
				     "ip link, ifconfig, netstat -i or /proc/net/dev", line);
	}
	if (!begin(r, line))
		return nd_parse_fail(r->in, r->s, e, "an interface's name", line);
	if (strstr(rest, "encap:Local Loopback"))
		put_text(r, ND_IF_LINK_KIND, "loopback");
	return 0;
}

/* "packets" and its number, on the side that the line speaks of; other words mean nothing. */
static int ifconfig_pair(struct reader *r, const char *key, const char *value, struct nd_err *e)
{
	struct columns one = {.n = 0};
	uint64_t v;

	add_column(&one, key, r->tx, ifconfig_words, ND_ARRAY_LEN(ifconfig_words));
	if (one.fact[0] == NO_FACT)
		return 0;
	if (!nd_parse_u64(value, 10, &v))
		return nd_parse_fail(r->in, r->s, e, "a number", value);
	put(r, one.fact[0], v);
	return 0;
}

static int ifconfig_line(struct reader *r, char *line, struct nd_err *e)
{
	const char *key = "";
	bool counters;
	uint64_t mtu;
	char *word;
	int rc = 0;

	if (*line != ' ' && *line != '\t')
		rc = ifconfig_head(r, &line, e);
	if (r->on == ND_NO_ENTITY)
		return rc;
	line = nd_trim(line);
	counters = nd_starts(line, "RX") || nd_starts(line, "TX");
	while ((word = nd_split(&line, " \t:")) && !may_be_cut(r, line)) {
		if (strcmp(word, "RX") == 0 || strcmp(word, "TX") == 0)
			r->tx = *word == 'T';
		else if (counters && ifconfig_pair(r, key, word, e))
			rc = -EINVAL;
		else if (strcasecmp(key, "mtu") == 0 && nd_parse_u64(word, 10, &mtu))
			put(r, ND_IF_MTU, mtu);
		key = word;
	}
	return rc;
}

/* ---- netstat -i ---- */

/*	Iface       MTU Met    RX-OK RX-ERR RX-DRP RX-OVR    TX-OK TX-ERR TX-DRP TX-OVR Flg
 *	eth0       1500   0        5      0      0      0        0      0      0      0 BMRU */
static const struct column_name netstat_columns[] = {
	{"MTU", ND_IF_MTU, ND_IF_MTU},
	{"RX-OK", ND_IF_RX_PACKETS, ND_IF_RX_PACKETS},
	{"RX-ERR", ND_IF_RX_ERRORS, ND_IF_RX_ERRORS},
	{"RX-DRP", FOLDED_DROP, FOLDED_DROP},
	{"RX-OVR", ND_IF_RX_FIFO, ND_IF_RX_FIFO},
	{"TX-OK", ND_IF_TX_PACKETS, ND_IF_TX_PACKETS},
	{"TX-ERR", ND_IF_TX_ERRORS, ND_IF_TX_ERRORS},
	{"TX-DRP", ND_IF_TX_DROPPED, ND_IF_TX_DROPPED},
};

static int netstat_line(struct reader *r, char *line, struct nd_err *e)
{
	char *word = nd_word(&line);

	if (!word || strcmp(word, "Kernel") == 0)
		return 0;
	if (strcmp(word, "Iface") == 0) {
		r->columns.n = 0;
		while ((word = nd_word(&line)))
			add_column(&r->columns, word, false, netstat_columns,
				   ND_ARRAY_LEN(netstat_columns));
		return 0;
	}
	if (strchr(word, ':') || (line && strstr(line, "no statistics")))
		return 0; /* an alias */
	if (r->columns.n == 0)
		return nd_parse_fail(r->in, r->s, e, "a header that begins with Iface", word);
	if (!begin(r, word))
		return nd_parse_fail(r->in, r->s, e, "an interface's name", word);
	return line ? put_row(r, line, e) : nd_parse_fail(r->in, r->s, e, "numbers", "nothing");
}

/* ---- /proc/net/dev ---- */

/*	Inter-|   Receive                                                |  Transmit
 *	 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop
 *fifo colls … eth0:    5 … */
static const struct column_name dev_columns[] = {
	{"bytes", ND_IF_RX_BYTES, ND_IF_TX_BYTES},  {"packets", ND_IF_RX_PACKETS, ND_IF_TX_PACKETS},
	{"errs", ND_IF_RX_ERRORS, ND_IF_TX_ERRORS}, {"drop", FOLDED_DROP, ND_IF_TX_DROPPED},
	{"frame", ND_IF_RX_FRAME, NO_FACT},	    {"fifo", ND_IF_RX_FIFO, NO_FACT},
	{"carrier", NO_FACT, ND_IF_TX_CARRIER},
};

static void dev_header(struct reader *r, char *line)
{
	char *side, *word;

	(void)nd_split(&line, "|"); /* "face" */
	r->columns.n = 0;
	for (int tx = 0; tx < 2 && (side = nd_split(&line, "|")); tx++)
		while ((word = nd_word(&side)))
			add_column(&r->columns, word, tx, dev_columns, ND_ARRAY_LEN(dev_columns));
}

/* Live, the kernel was asked by netlink: then this adds nothing but folded numbers. */
static bool is_from_netlink(const struct reader *r)
{
	nd_fact_id id = nd_registry_find(nd_facts_registry(r->f), ND_IFACE,
					 nd_netdev_facts[ND_IF_RX_PACKETS].name);

	return strcmp(nd_get_source(r->f, r->on, id), ND_NETDEV_NETLINK) == 0;
}

static int dev_line(struct reader *r, char *line, struct nd_err *e)
{
	char *colon;

	if (strchr(line, '|')) {
		if (strstr(line, "bytes"))
			dev_header(r, line);
		return 0;
	}
	line = nd_trim(line);
	colon = strrchr(line, ':'); /* numbers may follow it at once */
	if (!colon)
		return *line ? nd_parse_fail(r->in, r->s, e, "NAME: numbers", line) : 0;
	*colon = '\0';
	if (!begin(r, line))
		return strchr(line, ':')
			       ? 0
			       : nd_parse_fail(r->in, r->s, e, "an interface's name", line);
	if (is_from_netlink(r))
		return 0;
	return r->columns.n ? put_row(r, colon + 1, e)
			    : nd_parse_fail(r->in, r->s, e, "two lines of header", line);
}

/* ---- all of them ---- */

static line_fn *format_of(const char *line)
{
	if (nd_starts(line, "Inter-|"))
		return dev_line;
	if (nd_starts(line, "Kernel Interface") || nd_starts(line, "Iface"))
		return netstat_line;
	if (*line >= '0' && *line <= '9')
		return ip_line;
	return ifconfig_line;
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct reader r = {.in = in, .s = s, .f = f, .on = ND_NO_ENTITY};
	int rc = nd_netdev_file(in, s, f, e);
	char *line;

	if (rc <= 0)
		return rc;
	rc = 0;
	while ((line = nd_stream_line(s))) {
		if (!*line || line[strspn(line, " \t\r")] == '\0')
			continue;
		if (*line == '[' && !r.format)
			return nd_parse_fail(in, s, e, "text (without -j)", "JSON");
		if (!r.format)
			r.format = format_of(line);
		rc = r.format(&r, line, e) ? -EINVAL : rc;
	}
	if (r.seen)
		return 0;
	return rc ? rc
		  : nd_parse_fail(in, s, e, "ip link, ifconfig, netstat -i or /proc/net/dev",
				  "no interface");
}

#define NET "/sys/class/net/*/"
static const struct nd_read reads[] = {
	{"ip link", 0, "[0-9]*: *: <*> mtu [0-9]*"}, /* before those that fold drops */
	{"/proc/net/dev", 0, "Inter-|*Receive*|*Transmit\n\nface |bytes *packets *errs *drop *"},
	{"ifconfig", 0,
	 "* Link encap:*\n\n*: flags=[0-9]*<*> *mtu [0-9]*\n\nRX packets:[0-9]* errors:[0-9]* dropped:[0-9]*\n\n"
	 "RX errors [0-9]* *dropped [0-9]* *overruns [0-9]* *"},
	{"netstat -i", 0, "Iface *MTU *RX-OK *RX-ERR *RX-DRP *"},
	{NET "speed", ND_READ_ONCE},
	{NET "device/numa_node", ND_READ_ONCE},
	{NET "mtu", ND_READ_ONCE},
	{NET "operstate", ND_READ_ONCE},
	{NET "carrier_changes", ND_READ_ONCE},
	{NET "carrier_down_count", ND_READ_ONCE},
	{NULL, 0},
};

const struct nd_collector nd_collector_netdev_tool = {
	.name = "netdev_tool",
	.doc = "network interfaces from ip link, ifconfig, netstat -i, /proc/net/dev and a copied "
	       "/sys",
	.reads = reads,
	.facts = nd_netdev_facts,
	.entities = {ND_IFACE, ND_NO_KIND},
	.parse = parse,
};
