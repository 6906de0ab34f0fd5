/* Answers to arping: how many hardware addresses say that one IP address is theirs.
 *
 *	Unicast reply from 192.168.82.2 [00:50:56:9C:14:D9] 0.833ms	iputils
 *	60 bytes from 00:50:56:9c:14:d9 (192.168.82.2): index=0 time=1 msec	the other arping */
#include "collectors/collector.h"

#include <errno.h>

#define TARGETS_MAX 64u
#define MACS_MAX 8u
#define TEXT 48u

enum { F_ANSWERS, F_ADDRESS };
static const struct nd_fact_def facts[] = {
	[F_ANSWERS] =
		{.name = "arping.answers",
		 .on = ND_HOST,
		 .type = ND_T_NUMBER,
		 .unit = ND_U_COUNT,
		 .width = ND_GAUGE,
		 .doc = "hardware addresses that answered arping for one IP address, the most",
		 .reproduce = "arping -c 5 -I INTERFACE ADDRESS"},
	[F_ADDRESS] = {.name = "arping.address",
		       .on = ND_HOST,
		       .type = ND_T_TEXT,
		       .doc = "that IP address",
		       .reproduce = "arping -c 5 -I INTERFACE ADDRESS"},
	{.name = NULL},
};

struct target {
	char ip[TEXT];
	char macs[MACS_MAX][TEXT];
	uint32_t n;
};
struct answers {
	struct target v[TARGETS_MAX];
	uint32_t n;
};

/* Off with the brackets around a word, and what follows the closing one. */
static char *bare(char *w)
{
	w += *w == '[' || *w == '(';
	w[strcspn(w, "])")] = '\0';
	for (char *c = w; *c; c++)
		*c = *c >= 'A' && *c <= 'F' ? (char)(*c - 'A' + 'a') : *c;
	return w;
}

static bool is_mac(const char *w)
{
	return strlen(w) == 17 && strspn(w, "0123456789abcdef:") == 17;
}

static void add(struct answers *a, const char *ip, const char *mac)
{
	struct target *t = NULL;

	for (uint32_t i = 0; i < a->n && !t; i++)
		t = strcmp(a->v[i].ip, ip) == 0 ? &a->v[i] : NULL;
	if (!t && a->n < TARGETS_MAX) {
		t = &a->v[a->n++];
		snprintf(t->ip, sizeof(t->ip), "%s", ip);
	}
	for (uint32_t i = 0; t && i < t->n; i++)
		if (strcmp(t->macs[i], mac) == 0)
			return;
	if (t && t->n < MACS_MAX)
		snprintf(t->macs[t->n++], TEXT, "%s", mac);
}

static void one_line(struct answers *a, char *line)
{
	char *w[6] = {NULL}, *word;
	uint32_t n = 0;

	while (n < ND_ARRAY_LEN(w) && (word = nd_word(&line)))
		w[n++] = word;
	if (n >= 5 && strcmp(w[1], "reply") == 0 && strcmp(w[2], "from") == 0) {
		const char *mac = bare(w[4]);

		if (is_mac(mac))
			add(a, w[3], mac);
	} else if (n >= 5 && strcmp(w[1], "bytes") == 0 && strcmp(w[2], "from") == 0) {
		const char *mac = bare(w[3]);

		if (is_mac(mac))
			add(a, bare(w[4]), mac);
	}
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct answers *a = nd_alloc(sizeof(*a));
	const struct target *most = NULL;
	char *line;
	int rc;

	while ((line = nd_stream_line(s)))
		one_line(a, line);
	for (uint32_t i = 0; i < a->n; i++)
		if (!most || a->v[i].n > most->n)
			most = &a->v[i];
	rc = nd_stream_error(s);
	if (rc)
		nd_fail(e, rc, "%s: %s", in->path, strerror(-rc));
	else if (most) {
		const nd_id host = nd_entity(f, ND_HOST, "");

		nd_put_num(f, host, &facts[F_ANSWERS], most->n, in);
		nd_put_text(f, host, &facts[F_ADDRESS], most->ip, in);
	}
	free(a);
	return rc;
}

static const struct nd_read reads[] = {
	{"arping", 0, "*cast reply from * [*:*:*:*:*:*] *"},
	{NULL, 0, NULL},
};
const struct nd_collector nd_collector_arping;
const struct nd_collector nd_collector_arping = {
	.name = "arping",
	.doc = "hardware addresses that answer arping for one IP address",
	.reads = reads,
	.facts = facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
};
