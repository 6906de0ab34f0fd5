/* Writes a capture: a compressed tar of the raw files at each moment, in the names that a recorded
 * folder has, and of the facts that came from them and from netlink.
 *
 * Judging it again starts from the facts, so that it comes out exactly as it did on the host; the raw
 * files are for people and for collectors of later versions. Only the target's own namespace is kept
 * raw. With redaction only files of plain counters are kept at all. */
#include "engine/core/bundle.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <time.h>

#include "engine/core/redact.h"
#include "engine/core/source_impl.h"

#define RAW_MAX (64u << 20)
#define ROWS_MAX (96u << 20)
#define ROOT "netdoctor-capture/"

struct raw {
	char *path;
	struct nd_buf text;
};
struct nd_bundle {
	struct nd_source *source;
	struct nd_facts *facts;
	struct nd_redactor *redactor; /* NULL: nothing is redacted */
	struct raw *raw;
	uint32_t n_raw, cap_raw;
	uint64_t raw_bytes, begun_ns;
	struct nd_buf rows;
	bool begun;
};

/* Files that hold numbers and names of devices, and no addresses. */
static bool is_plain(const char *path)
{
	static const char *const plain[] = {
		"/proc/net/softnet_stat", "/proc/softirqs",	"/proc/stat",
		"/proc/interrupts",	  "/proc/net/snmp",	"/proc/net/netstat",
		"/proc/net/snmp6",	  "/proc/net/sockstat", "/proc/net/dev",
		"/proc/uptime",		  "/proc/loadavg"};

	for (size_t i = 0; i < ND_ARRAY_LEN(plain); i++)
		if (strcmp(path, plain[i]) == 0)
			return true;
	return nd_starts(path, "/proc/sys/net/") || nd_starts(path, "/proc/pressure/");
}

static void keep_raw(void *ctx, const struct nd_input *in, const char *text, size_t len)
{
	struct nd_bundle *b = ctx;
	char path[1024];
	struct raw *r;

	if (!b->begun) {
		b->begun = true;
		b->begun_ns = in->t_ns;
	}
	if ((in->netns && strcmp(in->netns, "host") != 0) || in->path[0] != '/' ||
	    b->raw_bytes + len > RAW_MAX || (b->redactor && !is_plain(in->path)))
		return;
	snprintf(path, sizeof(path), ROOT "raw%s@%.3f", in->path,
		 (double)(in->t_ns - b->begun_ns) / 1e9);
	ND_GROW(b->raw, b->n_raw, b->cap_raw);
	r = &b->raw[b->n_raw++];
	*r = (struct raw){.path = nd_strdup(path)};
	if (b->redactor)
		nd_redact(b->redactor, text, len, &r->text);
	else
		nd_buf_put(&r->text, text, len);
	b->raw_bytes += len;
}

static void keep_row(void *ctx, struct nd_facts *f, nd_id on, const struct nd_table_def *table,
		     const double *columns)
{
	struct nd_bundle *b = ctx;

	(void)f;
	if (b->rows.len < ROWS_MAX)
		nd_save_row(&b->rows, on, table, columns);
}

/* Aliases of interfaces: free text of the owner. */
static void learn_aliases(struct nd_bundle *b)
{
	char path[512], alias[300];
	char **names;
	int n = nd_source_names(b->source, "/sys/class/net", &names);

	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "/sys/class/net/%.200s/ifalias", names[i]);
		if (nd_source_text(b->source, path, alias, sizeof(alias)) == 0 && *nd_trim(alias))
			nd_redact_name(b->redactor, "alias", nd_trim(alias));
	}
	if (n >= 0)
		nd_source_names_free(names, n);
}

struct nd_bundle *nd_bundle_begin(struct nd_source *s, struct nd_facts *f, bool redact)
{
	struct nd_bundle *b = nd_alloc(sizeof(*b));

	b->source = s;
	b->facts = f;
	b->redactor = redact ? nd_redactor_new() : NULL;
	if (redact)
		learn_aliases(b);
	nd_source_tee(keep_raw, b);
	nd_facts_record_rows(f, keep_row, b);
	return b;
}

/* ---- the file ---- */

static la_ssize_t put_bytes(struct archive *a, void *ctx, const void *bytes, size_t n)
{
	(void)a;
	nd_buf_put(ctx, bytes, n);
	return (la_ssize_t)n;
}

static int put_file(struct archive *a, const char *path, const char *text, size_t len)
{
	struct archive_entry *e = archive_entry_new();
	int rc;

	archive_entry_set_pathname(e, path);
	archive_entry_set_size(e, (la_int64_t)len);
	archive_entry_set_filetype(e, AE_IFREG);
	archive_entry_set_perm(e, 0600);
	archive_entry_set_mtime(e, time(NULL), 0);
	rc = archive_write_header(a, e);
	if (rc >= ARCHIVE_WARN && archive_write_data(a, text, len) != (la_ssize_t)len)
		rc = ARCHIVE_FATAL;
	archive_entry_free(e);
	return rc;
}

static const char read_me[] =
	"A capture of netdoctor. Judge it with: netdoctor run --from THIS.tar.gz\n"
	"facts holds what was measured, raw/ the files as they were at each moment (@SECONDS).\n";

int nd_bundle_end(struct nd_bundle *b, const struct nd_save_meta *meta, struct nd_buf *out,
		  struct nd_err *e)
{
	const struct nd_save_how how = {b->redactor ? nd_redact : NULL, b->redactor};
	struct archive *a = archive_write_new();
	struct nd_buf facts = {0};
	int rc;

	nd_facts_save(b->facts, meta, &how, &facts);
	nd_buf_put(&facts, nd_buf_str(&b->rows), b->rows.len);
	archive_write_add_filter_gzip(a);
	archive_write_set_format_pax_restricted(a);
	archive_write_set_bytes_in_last_block(a, 1);
	rc = archive_write_open(a, out, NULL, put_bytes, NULL);
	if (rc >= ARCHIVE_WARN)
		rc = put_file(a, ROOT "README", read_me, strlen(read_me));
	if (rc >= ARCHIVE_WARN)
		rc = put_file(a, ROOT "facts", nd_buf_str(&facts), facts.len);
	for (uint32_t i = 0; rc >= ARCHIVE_WARN && i < b->n_raw; i++)
		rc = put_file(a, b->raw[i].path, nd_buf_str(&b->raw[i].text), b->raw[i].text.len);
	if (rc >= ARCHIVE_WARN)
		rc = archive_write_close(a);
	if (rc >= ARCHIVE_WARN) /* a name that is no UTF-8 is worth a warning */
		rc = 0;
	else
		rc = nd_fail(e, -EIO, "the capture could not be written: %s",
			     archive_error_string(a) ? archive_error_string(a) : "unknown error");
	archive_write_free(a);
	nd_buf_free(&facts);
	return rc;
}

void nd_bundle_free(struct nd_bundle *b)
{
	if (!b)
		return;
	nd_source_tee(NULL, NULL);
	nd_facts_record_rows(b->facts, NULL, NULL);
	for (uint32_t i = 0; i < b->n_raw; i++) {
		free(b->raw[i].path);
		nd_buf_free(&b->raw[i].text);
	}
	free(b->raw);
	nd_buf_free(&b->rows);
	nd_redactor_free(b->redactor);
	free(b);
}
