/* Any bytes as a file whose name tells nothing: an archive, a pasted text, one output, or none of these.
 *
 * Goes the whole way of a file of a folder: unpacked, cleaned, cut into parts, recognised, given its moment. The first
 * byte chooses the file's name, since a name may make it an output of its own. */
#include "collectors/collector.h"
#include "engine/core/source_paste.h"
#include "tests/fuzz/fuzz.h"

#include <errno.h>

static const char *const names[] = {"x17",	"netstat-s.txt", "paste@5.txt",
				    "x.tar.gz", "ss-after.txt",	 "ethtool-S-eth0",
				    "a/date",	"proc/net/snmp"};

static int open_none(const struct nd_file *x)
{
	(void)x;
	return -ENOENT;
}

static void check(const struct nd_file *x)
{
	FUZZ_CHECK(x->rel && x->stem && x->tree);
	FUZZ_CHECK(!x->text || x->text[x->len] == '\0');
	FUZZ_CHECK(!x->as || *x->as);
	FUZZ_CHECK(x->why == ND_PRESENT || x->detail);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct nd_read *reads[128];
	struct nd_known known = {reads, 0};
	struct nd_tree t = {0};
	struct nd_file *x;

	if (size < 1)
		return 0;
	for (uint32_t i = 0; i < nd_collectors_n && known.n < ND_ARRAY_LEN(reads); i++)
		if (nd_collectors[i]->reads)
			reads[known.n++] = nd_collectors[i]->reads;
	x = nd_tree_file(&t, names[data[0] % ND_ARRAY_LEN(names)]);
	x->text = nd_arena_copy(&t.arena, (const char *)data + 1, size - 1);
	x->len = size - 1;
	x->given = x->rel;
	nd_tree_prepare(&t, &known, open_none);
	for (uint32_t i = 0; i < t.n_files; i++)
		check(&t.files[i]);
	for (uint32_t i = 0; i < t.n_remarks; i++)
		FUZZ_CHECK(t.remarks[i].path && *t.remarks[i].says);
	nd_tree_free(&t);
	return 0;
}
