/* From a captured frame to what the flow analyser wants: link layers that carry IP, VLANs, IPv4, IPv6, tunnels, TCP.
 *
 * Captures are often cut behind the headers (snaplen), so every field is read only where the bytes are there, lengths
 * come from the IP header and a checksum is judged only over a whole segment. */
#include "collectors/pcap_decode.h"

#include <pcap/dlt.h>

#define DEPTH_MAX 4u /* tunnels within tunnels */
#define SUPER_BYTES 9216u /* no frame is longer: segments that the host has joined, or will cut */

enum {
	ET_IP = 0x0800,
	ET_IP6 = 0x86dd,
	ET_VLAN = 0x8100,
	ET_QINQ = 0x88a8,
	ET_QINQ_OLD = 0x9100,
	ET_MPLS = 0x8847,
	ET_PPPOE = 0x8864,
	ET_BRIDGED = 0x6558, /* a whole Ethernet frame */
};
enum { P_ICMP = 1, P_IPIP = 4, P_TCP = 6, P_UDP = 17, P_IP6 = 41, P_GRE = 47, P_ICMP6 = 58 };
enum { VXLAN_PORT = 4789, VXLAN_OLD_PORT = 8472, GENEVE_PORT = 6081 };

struct cursor {
	struct nd_flows *w;
	const uint8_t *d;
	size_t cap, wire; /* bytes there, bytes sent */
	uint64_t t_ns;
	enum nd_packet_dir dir;
	unsigned depth;
	const char *tunnel;
};
struct ip {
	struct nd_flow_addr src, dst;
	uint8_t proto;
	bool fragment, first; /* first: of the fragments, or whole */
};

static uint32_t be16(const uint8_t *d)
{
	return (uint32_t)d[0] << 8 | d[1];
}

static uint32_t be32(const uint8_t *d)
{
	return be16(d) << 16 | be16(d + 2);
}

static bool skip(struct cursor *c, size_t n)
{
	if (c->cap < n || c->wire < n)
		return false;
	c->d += n;
	c->cap -= n;
	c->wire -= n;
	return true;
}

static bool on_ip(struct cursor *c);
static bool on_ether(struct cursor *c);

/* ---- checksums ---- */

/* One's complement sum of n bytes, not folded. */
static uint64_t sum_of(const uint8_t *d, size_t n)
{
	uint64_t sum = 0, word;
	uint32_t half;

	for (; n >= 8; d += 8, n -= 8) {
		memcpy(&word, d, sizeof(word));
		sum += word & 0xffffffff;
		sum += word >> 32;
	}
	for (; n >= 4; d += 4, n -= 4) {
		memcpy(&half, d, sizeof(half));
		sum += half;
	}
	if (n) {
		half = 0;
		memcpy(&half, d, n);
		sum += half;
	}
	return sum;
}

static uint16_t fold(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

/* at: of the field within the segment; n: length of the segment. */
static enum nd_csum judge(const struct cursor *c, const struct ip *ip, size_t n, size_t at)
{
	const size_t alen = ip->src.family == 6 ? 16 : 4;
	const uint8_t tail[4] = {(uint8_t)(n >> 8), (uint8_t)n, 0, ip->proto};
	uint64_t pseudo;
	uint16_t field;

	if (c->cap < n || ip->fragment || n > UINT16_MAX)
		return ND_CSUM_UNKNOWN;
	memcpy(&field, c->d + at, sizeof(field));
	if (ip->proto == P_UDP && !field)
		return ND_CSUM_UNKNOWN;
	pseudo = sum_of(ip->src.ip, alen) + sum_of(ip->dst.ip, alen) + sum_of(tail, sizeof(tail));
	if (fold(pseudo + sum_of(c->d, n)) == 0xffff)
		return ND_CSUM_GOOD;
	if (fold(pseudo) == field)
		return ND_CSUM_PARTIAL;
	return n > SUPER_BYTES ? ND_CSUM_UNKNOWN : ND_CSUM_BAD;
}

/* ---- TCP ---- */

static void read_sack(const uint8_t *o, size_t len, struct nd_packet *p)
{
	if (len < 10)
		return;
	p->sack = true;
	p->sack_left = be32(o + 2);
	p->sack_right = be32(o + 6);
}

static void read_options(const uint8_t *o, size_t n, struct nd_packet *p)
{
	while (n >= 2 && o[0] != 0) {
		size_t len = o[0] == 1 ? 1 : o[1];

		if (len < 1 || len > n || (o[0] != 1 && len < 2))
			return;
		if (o[0] == 2 && len == 4) {
			p->mss = (uint16_t)be16(o + 2);
		} else if (o[0] == 3 && len == 3) {
			p->wscale = (int8_t)(o[2] > 14 ? 14 : o[2]);
		} else if (o[0] == 5) {
			read_sack(o, len, p);
		} else if (o[0] == 8 && len == 10) {
			p->has_ts = true;
			p->tsval = be32(o + 2);
		}
		o += len;
		n -= len;
	}
}

static struct nd_packet packet_of(const struct cursor *c, const struct ip *ip)
{
	struct nd_packet p = {.t_ns = c->t_ns, .dir = c->dir, .wscale = -1};

	p.src = ip->src;
	p.dst = ip->dst;
	p.tunnel = c->tunnel;
	return p;
}

static bool on_tcp(struct cursor *c, const struct ip *ip)
{
	struct nd_packet p = packet_of(c, ip);
	size_t header;

	if (c->cap < 20 || c->wire < 20)
		return false;
	header = (size_t)(c->d[12] >> 4) * 4;
	if (header < 20 || header > c->wire)
		return false;
	p.kind = ND_PK_TCP;
	p.sport = be16(c->d);
	p.dport = be16(c->d + 2);
	p.seq = be32(c->d + 4);
	p.ack = be32(c->d + 8);
	p.flags = c->d[13];
	p.win = be16(c->d + 14);
	p.has_seq = p.has_win = true;
	p.has_ack = p.flags & ND_TH_ACK;
	p.len = (uint32_t)(c->wire - header);
	p.csum = judge(c, ip, c->wire, 16);
	read_options(c->d + 20, (c->cap < header ? c->cap : header) - 20, &p);
	nd_flows_packet(c->w, &p);
	return true;
}

/* ---- tunnels ---- */

static bool enter(struct cursor *c, size_t header, const char *tunnel, uint32_t type)
{
	if (++c->depth > DEPTH_MAX || !skip(c, header))
		return false;
	c->tunnel = tunnel;
	if (type == ET_BRIDGED)
		return on_ether(c);
	return (type == ET_IP || type == ET_IP6) && on_ip(c);
}

static bool on_udp(struct cursor *c, const struct ip *ip)
{
	struct nd_packet p = packet_of(c, ip);
	size_t len;

	if (c->cap < 8 || c->wire < 8)
		return false;
	p.kind = ND_PK_UDP;
	p.sport = be16(c->d);
	p.dport = be16(c->d + 2);
	len = be16(c->d + 4);
	p.csum = len >= 8 && len <= c->wire ? judge(c, ip, len, 6) : ND_CSUM_UNKNOWN;
	p.tunnel = p.dport == VXLAN_PORT || p.dport == VXLAN_OLD_PORT ? "VXLAN"
		   : p.dport == GENEVE_PORT			      ? "Geneve"
								      : NULL;
	if (p.csum == ND_CSUM_BAD || p.csum == ND_CSUM_PARTIAL)
		nd_flows_packet(c->w, &p);
	if (!p.tunnel || c->cap < 16)
		return true;
	if (p.dport != GENEVE_PORT)
		enter(c, 16, NULL, ET_BRIDGED);
	else
		enter(c, 16 + (size_t)(c->d[8] & 0x3f) * 4, NULL, be16(c->d + 10));
	return true;
}

static bool on_gre(struct cursor *c)
{
	uint32_t flags;
	size_t header = 4;

	if (c->cap < 4)
		return false;
	flags = be16(c->d);
	header += flags & 0x8000 ? 4 : 0; /* checksum, key, sequence */
	header += flags & 0x2000 ? 4 : 0;
	header += flags & 0x1000 ? 4 : 0;
	return (flags & 7) == 0 && enter(c, header, "GRE", be16(c->d + 2));
}

/* ---- ICMP ---- */

/* The header of the packet that could not be delivered: where it went. */
static bool read_target(const uint8_t *d, size_t n, struct nd_flow_addr *a)
{
	memset(a, 0, sizeof(*a));
	if (n >= 20 && d[0] >> 4 == 4) {
		a->family = 4;
		memcpy(a->ip, d + 16, 4);
	} else if (n >= 40 && d[0] >> 4 == 6) {
		a->family = 6;
		memcpy(a->ip, d + 24, 16);
	}
	return a->family != 0;
}

static bool on_icmp(struct cursor *c, const struct ip *ip)
{
	struct nd_packet p = packet_of(c, ip);
	bool six = ip->proto == P_ICMP6, too_big;

	if (c->cap < 8)
		return false;
	too_big = six ? c->d[0] == 2 : c->d[0] == 3 && c->d[1] == 4;
	if ((!too_big && c->d[0] != (six ? 1 : 3)) || !read_target(c->d + 8, c->cap - 8, &p.target))
		return true; /* echo and the like */
	p.kind = too_big ? ND_PK_NEED_FRAG : ND_PK_UNREACHABLE;
	p.mtu = six ? be32(c->d + 4) : be16(c->d + 6);
	nd_flows_packet(c->w, &p);
	return true;
}

/* ---- IP ---- */

static bool read_ip4(struct cursor *c, struct ip *ip)
{
	size_t header, total;

	if (c->cap < 20)
		return false;
	header = (size_t)(c->d[0] & 15) * 4;
	total = be16(c->d + 2);
	if (!total) /* to be cut by the card */
		total = c->wire;
	if (header < 20 || total < header || total > c->wire)
		return false;
	c->wire = total;
	c->cap = c->cap < total ? c->cap : total;
	ip->first = (be16(c->d + 6) & 0x1fff) == 0;
	ip->fragment = (be16(c->d + 6) & 0x3fff) != 0;
	ip->proto = c->d[9];
	ip->src.family = ip->dst.family = 4;
	memcpy(ip->src.ip, c->d + 12, 4);
	memcpy(ip->dst.ip, c->d + 16, 4);
	return skip(c, header);
}

/* Steps over the headers between IPv6 and what it carries. */
static bool read_extensions(struct cursor *c, struct ip *ip)
{
	for (unsigned i = 0; i < 8; i++) {
		size_t len;

		if (ip->proto != 0 && ip->proto != 43 && ip->proto != 44 && ip->proto != 60)
			return true;
		if (c->cap < 8)
			return false;
		len = ip->proto == 44 ? 8 : ((size_t)c->d[1] + 1) * 8;
		if (ip->proto == 44) {
			ip->fragment = true;
			ip->first = (be16(c->d + 2) & 0xfff8) == 0;
		}
		ip->proto = c->d[0];
		if (!skip(c, len))
			return false;
	}
	return false;
}

static bool read_ip6(struct cursor *c, struct ip *ip)
{
	size_t payload;

	if (c->cap < 40)
		return false;
	payload = be16(c->d + 4);
	ip->proto = c->d[6];
	ip->src.family = ip->dst.family = 6;
	ip->first = true;
	memcpy(ip->src.ip, c->d + 8, 16);
	memcpy(ip->dst.ip, c->d + 24, 16);
	if (!skip(c, 40))
		return false;
	if (payload && payload <= c->wire) {
		c->wire = payload;
		c->cap = c->cap < payload ? c->cap : payload;
	}
	return read_extensions(c, ip);
}

static bool on_ip(struct cursor *c)
{
	struct ip ip = {.proto = 0};
	uint8_t version = c->cap ? c->d[0] >> 4 : 0;

	if (version == 4 ? !read_ip4(c, &ip) : version == 6 ? !read_ip6(c, &ip) : true)
		return false;
	if (!ip.first)
		return true;
	switch (ip.proto) {
	case P_TCP: return on_tcp(c, &ip);
	case P_UDP: return on_udp(c, &ip);
	case P_ICMP:
	case P_ICMP6: return on_icmp(c, &ip);
	case P_IPIP: return enter(c, 0, "IPIP", ET_IP);
	case P_IP6: return enter(c, 0, "6in4", ET_IP6);
	case P_GRE: return on_gre(c);
	}
	return true;
}

/* ---- link layers ---- */

static bool on_type(struct cursor *c, uint32_t type)
{
	for (unsigned i = 0; i < 4 && (type == ET_VLAN || type == ET_QINQ || type == ET_QINQ_OLD);
	     i++) {
		if (c->cap < 4)
			return false;
		type = be16(c->d + 2);
		skip(c, 4);
	}
	if (type == ET_PPPOE && c->cap >= 8) {
		type = be16(c->d + 6) == 0x57 ? ET_IP6 : be16(c->d + 6) == 0x21 ? ET_IP : 0;
		skip(c, 8);
	}
	if (type == ET_MPLS) {
		bool last = false;

		for (unsigned i = 0; i < 8 && !last && c->cap >= 4; i++) {
			last = c->d[2] & 1;
			skip(c, 4);
		}
		return on_ip(c);
	}
	return (type == ET_IP || type == ET_IP6) && on_ip(c);
}

static bool on_ether(struct cursor *c)
{
	uint32_t type;

	if (c->cap < 14)
		return false;
	type = be16(c->d + 12);
	return skip(c, 14) && on_type(c, type);
}

/* Packets that a host's own "any" device saw: the first field tells whether they came or went. */
static bool on_cooked(struct cursor *c, size_t type_at, uint32_t kind, size_t header)
{
	uint32_t type = be16(c->d + type_at);

	c->dir = kind == 4 ? ND_DIR_OUT : kind == 0 ? ND_DIR_IN : ND_DIR_UNKNOWN;
	return skip(c, header) && on_type(c, type);
}

static bool on_ppp(struct cursor *c)
{
	size_t header = c->cap >= 4 && c->d[0] == 0xff && c->d[1] == 3 ? 4 : 2;

	return skip(c, header) && on_ip(c);
}

bool nd_pcap_knows(int link)
{
	static const int known[] = {DLT_EN10MB, DLT_RAW, DLT_LINUX_SLL, DLT_LINUX_SLL2, DLT_NULL,
				    DLT_LOOP,	DLT_PPP, DLT_IPV4,	DLT_IPV6,	14,
				    101};

	for (size_t i = 0; i < ND_ARRAY_LEN(known); i++)
		if (known[i] == link)
			return true;
	return false;
}

static bool on_link(struct cursor *c, int link)
{
	switch (link) {
	case DLT_EN10MB: return on_ether(c);
	case DLT_LINUX_SLL: return c->cap >= 16 && on_cooked(c, 14, be16(c->d), 16);
	case DLT_LINUX_SLL2: return c->cap >= 20 && on_cooked(c, 0, c->d[10], 20);
	case DLT_NULL:
	case DLT_LOOP: return skip(c, 4) && on_ip(c);
	case DLT_PPP: return on_ppp(c);
	}
	return on_ip(c);
}

void nd_pcap_decode(struct nd_flows *w, int link, uint64_t t_ns, const uint8_t *data, size_t caplen,
		    size_t wirelen)
{
	struct cursor c = {.w = w,
			   .d = data,
			   .cap = caplen < wirelen ? caplen : wirelen,
			   .wire = wirelen,
			   .t_ns = t_ns};

	if (!on_link(&c, link))
		nd_flows_skipped(w);
}
