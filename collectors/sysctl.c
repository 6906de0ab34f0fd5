/* Sysctls, from /proc/sys or from the text of `sysctl -a`.
 *
 * A file of one value and a text of "key = value" lines are told apart by the "=", since a flat
 * folder names them alike. Numbers are held in base units; the factor is kept in the definition, so
 * that a fix can write the kernel's own unit again. /proc/sys shows the reader's network namespace
 * and no other. */
#include "collectors/conntrack.h"
#include "collectors/snmp.h"

#include <errno.h>

#define PROC "/proc/sys/"
#define DOT_FS "fs."
#define DIR_FS PROC "fs/"
#define DOT_CORE "net.core."
#define DIR_CORE PROC "net/core/"
#define DOT_IPV4 "net.ipv4."
#define DIR_IPV4 PROC "net/ipv4/"
#define DOT_CONF_ALL "net.ipv4.conf.all."
#define DIR_CONF_ALL PROC "net/ipv4/conf/all/"
#define DOT_NEIGH4 "net.ipv4.neigh.default."
#define DIR_NEIGH4 PROC "net/ipv4/neigh/default/"
#define DOT_NEIGH6 "net.ipv6.neigh.default."
#define DIR_NEIGH6 PROC "net/ipv6/neigh/default/"
#define DOT_ROUTE6 "net.ipv6.route."
#define DIR_ROUTE6 PROC "net/ipv6/route/"
#define DOT_VS "net.ipv4.vs."
#define DIR_VS PROC "net/ipv4/vs/"
#define DOT_BRIDGE "net.bridge."
#define DIR_BRIDGE PROC "net/bridge/"
#define DOT_NETFILTER "net.netfilter."
#define DIR_NETFILTER PROC "net/netfilter/"

#define ND_SYSCTL(dir, key, kind, form, base, factor, text)                                        \
	{.name = "sysctl." DOT_##dir key,                                                          \
	 .on = (kind),                                                                             \
	 .type = (form),                                                                           \
	 .unit = (base),                                                                           \
	 .width = ND_GAUGE,                                                                        \
	 .doc = (text),                                                                            \
	 .reproduce = "sysctl " DOT_##dir key,                                                     \
	 .kernel_unit = (factor)},
static const struct nd_fact_def facts[] = {
#include "collectors/sysctl.def"
	{.name = NULL},
};
#undef ND_SYSCTL

/* Row i reads fact i. The text comes last. */
#define ND_SYSCTL(dir, key, kind, form, base, factor, text) {DIR_##dir key, ND_READ_ONCE},
static const struct nd_read reads[] = {
#include "collectors/sysctl.def"
	{"sysctl -a", 0,
	 "net.[a-z]*.[a-z]* = *\n\nkernel.[a-z]* = *\nvm.[a-z]* = *\n\nnet.[a-z]*.[a-z]*=[0-9]*"},
	{NULL, 0},
};
#undef ND_SYSCTL

#define ROWS (ND_ARRAY_LEN(facts) - 1)
#define NO_ROW SIZE_MAX

/* What the text of `sysctl -a` tells of connection tracking. */
static const struct {
	const char *key;
	enum nd_conntrack_fact fact;
} conntrack[] = {
	{"net.netfilter.nf_conntrack_count", ND_CT_COUNT},
	{"net.netfilter.nf_conntrack_max", ND_CT_MAX},
	{"net.nf_conntrack_max", ND_CT_MAX},
	{"net.netfilter.nf_conntrack_buckets", ND_CT_BUCKETS},
};

static const char *key_of(size_t row)
{
	return facts[row].name + strlen("sysctl.");
}

static nd_id entity_of(struct nd_facts *f, const struct nd_fact_def *fact,
		       const struct nd_input *in)
{
	return nd_entity(f, fact->on, fact->on == ND_HOST ? "" : in->netns);
}

static void put_words(struct nd_facts *f, nd_id on, const struct nd_fact_def *fact, char *value,
		      const struct nd_input *in)
{
	struct nd_buf b = {0};
	char *word;

	while ((word = nd_word(&value))) {
		if (b.len)
			nd_buf_putc(&b, ' ');
		nd_buf_puts(&b, word);
	}
	nd_put_text(f, on, fact, nd_buf_str(&b), in);
	nd_buf_free(&b);
}

static void put_value(struct nd_facts *f, const struct nd_fact_def *fact, char *value,
		      const struct nd_input *in)
{
	const nd_id on = entity_of(f, fact, in);
	uint64_t v;

	if (fact->type != ND_T_NUMBER)
		put_words(f, on, fact, value, in);
	else if (nd_parse_u64(value, 10,
			      &v)) /* divided, since 1e-6 is not exact and a million is */
		nd_put_num(f, on, fact,
			   fact->kernel_unit == 0 ? (double)v : (double)v / (1 / fact->kernel_unit),
			   in);
	else
		nd_put_missing(f, on, fact, ND_PARSE_ERROR,
			       "%s: expected a number for %s, found '%.40s'", in->path, fact->name,
			       value);
}

/* Keys may be written with slashes, in which case a dot is a part of a name. */
static void dotted(char *key)
{
	const char *first = strpbrk(key, "./");

	if (!first || *first == '.')
		return;
	for (; *key; key++)
		*key = *key == '/' ? '.' : *key == '.' ? '/' : *key;
}

/* One "key = value". Returns whether it was such a line at all. */
static bool key_line(struct nd_facts *f, char *line, bool unended, const struct nd_input *in,
		     bool *seen)
{
	char *equals = strchr(line, '=');
	char *key, *value;

	if (!equals)
		return false;
	*equals = '\0';
	key = nd_trim(line);
	value = nd_trim(equals + 1);
	if (!*key || strpbrk(key, " \t"))
		return false;
	dotted(key);
	for (size_t i = 0; i < ROWS; i++) {
		if (strcmp(key_of(i), key) != 0)
			continue;
		seen[i] = true;
		if (unended)
			nd_put_missing(f, entity_of(f, &facts[i], in), &facts[i], ND_TRUNCATED,
				       "%s ends within the value of %s", in->path, key);
		else
			put_value(f, &facts[i], value, in);
	}
	for (size_t i = 0; i < ND_ARRAY_LEN(conntrack) && !unended; i++)
		if (strcmp(conntrack[i].key, key) == 0)
			put_value(f, &nd_conntrack_facts[conntrack[i].fact], value, in);
	return true;
}

/* Does path end in the n last bytes of a row's file, at a component's border? */
static bool ends_in(const char *path, size_t len, const char *tail, size_t n)
{
	return len >= n && memcmp(path + len - n, tail, n) == 0 &&
	       (len == n || path[len - n - 1] == '/');
}

/* The row of a file: by its place below /proc/sys, else by its bare name if that is one row's only.
 */
static size_t row_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	const size_t stem = strcspn(base, ".@"); /* no sysctl here has these in its name */
	const size_t len = (size_t)(base - path) + stem;
	size_t bare = NO_ROW, found = 0;

	for (size_t i = 0; i < ROWS; i++) {
		const char *tail = reads[i].what + strlen(PROC);
		const char *name = strrchr(tail, '/') + 1;

		if (ends_in(path, len, tail, strlen(tail)))
			return i;
		if (strlen(name) == stem && memcmp(name, base, stem) == 0) {
			bare = i;
			found++;
		}
	}
	return found == 1 ? bare : NO_ROW;
}

static int single(struct nd_facts *f, char *line, const struct nd_input *in, struct nd_err *e)
{
	const size_t row = row_of(in->path);

	if (row == NO_ROW)
		return nd_fail(
			e, -EINVAL,
			"%s: expected 'key = value', or a file whose name tells which sysctl it is",
			in->path);
	put_value(f, &facts[row], nd_trim(line), in);
	return 0;
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	bool seen[ROWS] = {false};
	bool keys = false;
	char *line;
	int rc = 0;

	while ((line = nd_stream_line(s))) {
		/* an empty value is a value: no reserved ports */
		if (!keys && nd_stream_lineno(s) == 1 && !strchr(line, '=') &&
		    row_of(in->path) != NO_ROW)
			return single(f, line, in, e);
		keys |= key_line(f, line, nd_stream_unended(s), in, seen);
	}
	if (nd_stream_error(s))
		return nd_fail(e, nd_stream_error(s), "%s: %s", in->path,
			       strerror(-nd_stream_error(s)));
	if (!keys)
		rc = nd_parse_fail(in, s, e, "'key = value'", "none");
	for (size_t i = 0; keys && i < ROWS; i++)
		if (!seen[i])
			nd_fact_missing(f, &facts[i], ND_TOOL_OUTPUT_ABSENT, "%s does not show it",
					in->path);
	return rc;
}

/* Live: what this kernel does not have, and what may not be read. */
static int live(struct nd_live *l, struct nd_facts *f, struct nd_err *e)
{
	char text[64];

	(void)e;
	if (!l->first || l->between)
		return 0;
	nd_netns_unread(l, f, facts, "/proc/sys shows the settings of the reader's own only");
	for (size_t i = 0; i < ROWS; i++) {
		const nd_id on = entity_of(f, &facts[i], &l->in);
		const int rc = nd_source_text(l->source, reads[i].what, text, sizeof(text));

		if (rc == -ENOENT)
			nd_put_missing(f, on, &facts[i], ND_NOT_ON_THIS_KERNEL, "no %s here",
				       reads[i].what);
		else if (rc == -EACCES || rc == -EPERM)
			nd_put_missing(f, on, &facts[i], ND_NO_PERMISSION, "%s may not be read",
				       reads[i].what);
	}
	return 0;
}

const struct nd_collector nd_collector_sysctl = {
	.name = "sysctl",
	.doc = "kernel settings that bear on the network",
	.collect = "sysctl -a",
	.reads = reads,
	.facts = facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
	.live = live,
};
