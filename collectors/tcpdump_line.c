/* "192.0.2.3.24568 > 198.51.100.21.80: Flags [S], seq 4165, win 29200, options [mss 1424,…], length 0" and its older and
 * wordier spellings.
 *
 * Everything is found by its name, since what is printed and in which order depends on the release and on -v, -e, -q, -K.
 * What follows the length is the payload's text and never looked at. */
#include "collectors/tcpdump_line.h"

#include <arpa/inet.h>

#define WORD_MAX 300

const char *nd_tcpdump_number(const char *s, uint64_t max, uint64_t *out)
{
	const char *from = s;
	uint64_t v = 0;

	for (; *s >= '0' && *s <= '9'; s++) {
		v = v * 10 + (uint64_t)(*s - '0');
		if (v > max)
			return NULL;
	}
	if (s == from)
		return NULL;
	*out = v;
	return s;
}

/* The number behind a name, such as "win ". */
static bool number_behind(const char *text, const char *name, uint64_t max, uint64_t *out)
{
	const char *at = text ? strstr(text, name) : NULL;

	return at && nd_tcpdump_number(at + strlen(name), max, out);
}

/* ---- ends ---- */

static const struct {
	const char *name;
	uint16_t port;
} services[] = {
	{"http", 80},	       {"https", 443},	      {"ssh", 22},	  {"domain", 53},
	{"mysql", 3306},       {"postgresql", 5432},  {"redis", 6379},	  {"smtp", 25},
	{"http-alt", 8080},    {"webcache", 8080},    {"ldap", 389},	  {"ldaps", 636},
	{"microsoft-ds", 445}, {"nfs", 2049},	      {"imap", 143},	  {"imap2", 143},
	{"imaps", 993},	       {"pop3", 110},	      {"telnet", 23},	  {"ftp", 21},
	{"ftp-data", 20},      {"submission", 587},   {"amqp", 5672},	  {"iscsi-target", 3260},
	{"netbios-ssn", 139},  {"sunrpc", 111},	      {"ntp", 123},	  {"snmp", 161},
	{"epmd", 4369},	       {"memcache", 11211},   {"vxlan", 4789},	  {"geneve", 6081},
	{"otv", 8472},	       {"mqtt", 1883},	      {"rsync", 873},	  {"bgp", 179},
	{"x11", 6000},	       {"xmpp-client", 5222}, {"ms-sql-s", 1433}, {"oracle", 1521},
	{"kerberos", 88},
};

static bool read_ip(const char *s, struct nd_flow_addr *a)
{
	memset(a, 0, sizeof(*a));
	if (inet_pton(AF_INET, s, a->ip) == 1)
		a->family = 4;
	else if (inet_pton(AF_INET6, s, a->ip) == 1)
		a->family = 6;
	return a->family != 0;
}

static void read_host(struct nd_flows *w, char *s, struct nd_flow_addr *a)
{
	char *zone = strchr(s, '%');
	uint32_t name;

	if (zone)
		*zone = '\0';
	if (read_ip(s, a))
		return;
	name = nd_flows_name(w, s, strlen(s));
	memcpy(a->ip, &name, sizeof(name));
}

static uint32_t read_port(struct nd_flows *w, const char *s)
{
	uint64_t v;

	if (nd_parse_u64(s, 10, &v) && v <= UINT16_MAX)
		return (uint32_t)v;
	for (size_t i = 0; i < ND_ARRAY_LEN(services); i++)
		if (strcmp(s, services[i].name) == 0)
			return services[i].port;
	return ND_PORT_NAMED + nd_flows_name(w, s, strlen(s));
}

/* "192.0.2.3.80", "2001:db8::1.80", "web.example.http", and without a port. */
static void read_end(struct nd_flows *w, const char *s, size_t n, bool ports,
		     struct nd_flow_addr *a, uint32_t *port)
{
	char word[WORD_MAX], *dot;

	*port = 0;
	snprintf(word, sizeof(word), "%.*s", (int)(n < WORD_MAX ? n : WORD_MAX - 1), s);
	dot = strrchr(word, '.');
	if (ports && dot && dot > word && !read_ip(word, a)) {
		*dot = '\0';
		*port = read_port(w, dot + 1);
	}
	read_host(w, word, a);
}

/* ---- checksums ---- */

/* The sum that the kernel leaves for the card: that of addresses, protocol and length. */
static uint32_t pseudo_sum(const struct nd_packet *p, uint8_t proto, uint32_t l4_len)
{
	const size_t n = p->src.family == 6 ? 16 : 4;
	uint32_t sum = proto + l4_len;

	for (size_t i = 0; i < n; i += 2)
		sum += (uint32_t)p->src.ip[i] << 8 | p->src.ip[i + 1];
	for (size_t i = 0; i < n; i += 2)
		sum += (uint32_t)p->dst.ip[i] << 8 | p->dst.ip[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static uint32_t hex_at(const char *s)
{
	static const char digits[] = "0123456789abcdef";
	const char *d;
	uint32_t v = 0;

	if (nd_starts(s, "0x"))
		s += 2;
	for (unsigned i = 0; i < 4 && *s && (d = strchr(digits, *s)); i++, s++)
		v = v << 4 | (uint32_t)(d - digits);
	return v;
}

static void read_csum(const char *rest, const struct nd_tcpdump_head *head, uint8_t proto,
		      struct nd_packet *p)
{
	static const char *const good[] = {"(correct)", "sum ok]", NULL};
	const char *at = strstr(rest, "cksum ");

	for (unsigned i = 0; good[i]; i++)
		if (strstr(rest, good[i])) {
			p->csum = ND_CSUM_GOOD;
			return;
		}
	if (!at || !(strstr(at, "incorrect") || strstr(rest, "[bad tcp cksum") ||
		     strstr(rest, "[bad udp cksum")))
		return;
	p->csum = ND_CSUM_BAD;
	if (head->l4_len && p->src.family && p->src.family == p->dst.family &&
	    hex_at(at + strlen("cksum ")) == pseudo_sum(p, proto, head->l4_len))
		p->csum = ND_CSUM_PARTIAL;
}

/* ---- TCP ---- */

static void read_options(char *s, struct nd_packet *p)
{
	uint64_t a, b;
	const char *at;

	if (number_behind(s, "mss ", UINT16_MAX, &a))
		p->mss = (uint16_t)a;
	if (number_behind(s, "wscale ", 14, &a))
		p->wscale = (int8_t)a;
	if (number_behind(s, "TS val ", UINT32_MAX, &a) ||
	    number_behind(s, "timestamp ", UINT32_MAX, &a)) {
		p->has_ts = true;
		p->tsval = (uint32_t)a;
	}
	at = strchr(s, '{');
	at = at ? nd_tcpdump_number(at + 1, UINT32_MAX, &a) : NULL;
	if (at && *at == ':' && nd_tcpdump_number(at + 1, UINT32_MAX, &b)) {
		p->sack = true;
		p->sack_left = (uint32_t)a;
		p->sack_right = (uint32_t)b;
	}
}

static bool read_flags(const char **s, struct nd_packet *p)
{
	static const char letters[] = "FSRP.UEW";
	static const uint8_t bits[] = {ND_TH_FIN, ND_TH_SYN, ND_TH_RST, ND_TH_PSH,
				       ND_TH_ACK, ND_TH_URG, ND_TH_ECE, ND_TH_CWR};
	const char *from = *s, *l;

	for (; **s && (l = strchr(letters, **s)); ++*s)
		p->flags |= bits[l - letters];
	return *s > from;
}

/* "100:200", "100:200(100)", "100". */
static void read_seq(const char *s, struct nd_packet *p)
{
	uint64_t a, b;

	s = nd_tcpdump_number(s, UINT32_MAX, &a);
	if (!s)
		return;
	p->has_seq = true;
	p->seq = (uint32_t)a;
	if (*s == ':' && nd_tcpdump_number(s + 1, UINT32_MAX, &b))
		p->len = (uint32_t)b - (uint32_t)a;
}

/* Cuts the text behind the length, which is the payload's; options go into a text of their own. */
static char *cut_options(char *s, char open, char shut)
{
	char *from = strchr(s, open), *to = from ? strchr(from, shut) : NULL;

	if (!to)
		return NULL;
	*from = *to = '\0';
	return from + 1;
}

static bool finish_tcp(char *s, char *options, bool old, struct nd_packet *p)
{
	uint64_t v;

	if (number_behind(s, "ack ", UINT32_MAX, &v)) {
		p->ack = (uint32_t)v;
		p->has_ack = true;
		p->flags |= ND_TH_ACK; /* old releases print no dot beside S and F */
	}
	if (number_behind(s, "win ", UINT32_MAX, &v)) {
		p->win = (uint32_t)v;
		p->has_win = true;
	}
	if (options)
		read_options(options, p);
	if (p->len > (1u << 20))
		return false;
	if ((p->flags & (ND_TH_FIN | ND_TH_SYN)) && !p->has_seq && !old)
		return false;
	p->kind = ND_PK_TCP;
	p->printed = true;
	return true;
}

static bool read_new_tcp(char *rest, const struct nd_tcpdump_head *head, struct nd_packet *p)
{
	const char *s = rest + strlen("Flags [");
	char *length = strstr(rest, "length "), *options, *at;
	uint64_t v;

	if (nd_starts(s, "none"))
		s += 4;
	else if (!read_flags(&s, p))
		return false;
	if (*s != ']')
		return false;
	if (length && nd_tcpdump_number(length + 7, 1u << 20, &v)) {
		p->len = (uint32_t)v;
		length[0] = '\0';
	}
	read_csum(rest, head, 6, p);
	options = strstr(rest, "options [");
	if (options)
		options = cut_options(options, '[', ']');
	at = strstr(rest, "seq ");
	if (at) {
		uint32_t len = p->len;

		read_seq(at + 4, p);
		p->len = length || p->len ? (len ? len : p->len) : 0;
	}
	at = strchr(rest, ']');
	return finish_tcp(at ? at + 1 : rest, options, false, p);
}

/* "S 123:123(0) win 5840 <mss 1460,nop> (DF)", ". ack 1 win 5840", behind an optional "[tcp sum ok]". */
static bool read_old_tcp(char *rest, const struct nd_tcpdump_head *head, struct nd_packet *p)
{
	const char *s = rest;
	char *options;

	if (!read_flags(&s, p) || *s != ' ')
		return false;
	p->flags &= (uint8_t)~ND_TH_ACK; /* the dot stood for "no flags" */
	read_csum(rest, head, 6, p);
	s++;
	while (*s == '[' || nd_starts(s, "cksum")) { /* "[tcp sum ok]", "cksum 0x1 (correct)," */
		const char *end = strpbrk(s, *s == '[' ? "]" : ",");

		if (!end)
			return false;
		s = end + 1 + strspn(end + 1, " ,");
	}
	if (!(*s >= '0' && *s <= '9') && !nd_starts(s, "ack "))
		return false;
	read_seq(s, p);
	options = cut_options(rest + (s - rest), '<', '>');
	if (p->has_seq && p->len == 0 && !(p->flags & (ND_TH_SYN | ND_TH_FIN | ND_TH_RST)))
		p->has_seq = strchr(s, '(') != NULL;
	return finish_tcp(rest + (s - rest), options, true, p);
}

/* ---- others ---- */

static bool read_icmp(struct nd_flows *w, const char *rest, struct nd_packet *p)
{
	const char *said = rest + strlen("ICMP "), *what = strstr(said, "unreachable");
	uint64_t mtu = 0;
	uint32_t none;
	size_t n;

	said = nd_starts(said, "host ") ? said + 5 : nd_starts(said, "net ") ? said + 4 : said;
	n = strcspn(said, " ");
	if (!what || what == said)
		return false;
	read_end(w, said, n, false, &p->target, &none);
	p->kind = ND_PK_UNREACHABLE;
	if (strstr(what, "need to frag")) {
		p->kind = ND_PK_NEED_FRAG;
		if (number_behind(what, "mtu ", UINT16_MAX, &mtu))
			p->mtu = (uint32_t)mtu;
	}
	return true;
}

static const char *tunnel_of(const char *rest)
{
	static const char *const names[] = {"VXLAN", "OTV", "Geneve", "GENEVE", NULL};

	for (unsigned i = 0; names[i]; i++) {
		const char *at = strstr(rest, names[i]);

		if (at && (at == rest || at[-1] == ' '))
			return i < 2 ? "VXLAN" : "Geneve"; /* OTV: flannel's VXLAN on its port */
	}
	return NULL;
}

static bool read_udp(const char *rest, const struct nd_tcpdump_head *head, struct nd_packet *p)
{
	p->tunnel = tunnel_of(rest);
	if (!p->tunnel && !nd_starts(rest, "UDP,") && !strstr(rest, "udp sum ok]") &&
	    !strstr(rest, "[bad udp cksum") && head->proto != 17)
		return false;
	p->kind = ND_PK_UDP;
	read_csum(rest, head, 17, p);
	return true;
}

/* ---- all ---- */

/* The end of the receiver: a colon and a blank, or a colon at the line's end. */
static char *end_of_pair(char *s)
{
	for (; *s && *s != ' '; s++)
		if (*s == ':' && (s[1] == ' ' || !s[1]))
			return s;
	return NULL;
}

static bool read_pair(struct nd_flows *w, char *body, struct nd_packet *p, char **rest)
{
	for (char *at = strstr(body, " > "); at; at = strstr(at + 3, " > ")) {
		char *end = end_of_pair(at + 3), *from = at;
		bool ports;

		if (!end)
			continue; /* "00:16:3e:… > 00:16:3e:…, ethertype" */
		while (from > body && from[-1] != ' ')
			from--;
		*rest = end + (end[1] == ' ' ? 2 : 1);
		ports = !nd_starts(*rest, "ICMP");
		read_end(w, from, (size_t)(at - from), ports, &p->src, &p->sport);
		read_end(w, at + 3, (size_t)(end - at - 3), ports, &p->dst, &p->dport);
		return true;
	}
	return false;
}

bool nd_tcpdump_packet(struct nd_flows *w, char *body, const struct nd_tcpdump_head *head,
		       struct nd_packet *p)
{
	char *rest, *inner;

	p->wscale = -1;
	if (!read_pair(w, body, p, &rest))
		return false;
	if (nd_starts(rest, "IP ") && strstr(rest, " > "))
		return nd_tcpdump_packet(w, rest + 2, head, p);
	inner = nd_starts(rest, "GRE") ? strstr(rest, ": IP ") : NULL;
	if (inner && strstr(inner, " > "))
		return nd_tcpdump_packet(w, inner + 2, head, p);
	p->dir = head->dir;
	if (nd_starts(rest, "Flags ["))
		return read_new_tcp(rest, head, p);
	if (nd_starts(rest, "ICMP "))
		return read_icmp(w, rest, p);
	if (read_old_tcp(rest, head, p))
		return true;
	p->flags = 0;
	return read_udp(rest, head, p);
}
