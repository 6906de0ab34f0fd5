/* Prints the tables of keys.c, the kinds and the registry of facts as JSON Schema.
 *
 * Draft 7, since that is what the YAML servers of editors know. A schema sees structure and names only; whether
 * an expression is right is said by `rules lint`. Scalars may be numbers or booleans there: editors read 10 and
 * true as such, where the language takes all of them for text. */
#include "engine/rule/schema.h"

#include "engine/rule/keys.h"

#define SCALAR "\"type\":[\"string\",\"number\",\"boolean\"]"
#define ORIGIN "^(lab:|case:|kernel:|kernel-doc:|standard:|arith|guess:)"

/* All our own texts: only quotes and backslashes need an escape. */
static void put_text(struct nd_buf *out, const char *s)
{
	nd_buf_putc(out, '"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			nd_buf_putc(out, '\\');
		nd_buf_putc(out, *s == '\n' || *s == '\t' ? ' ' : *s);
	}
	nd_buf_putc(out, '"');
}

static void put_kind_words(struct nd_buf *out)
{
	const char *sep = "";

	nd_buf_puts(out, "\"enum\":[");
	for (int k = 0; k < ND_KINDS; k++) {
		nd_buf_puts(out, sep);
		put_text(out, nd_kinds[k].name);
		sep = ",";
	}
	nd_buf_putc(out, ']');
}

static void put_words(struct nd_buf *out, const char *const *words)
{
	nd_buf_puts(out, "\"enum\":[");
	for (unsigned i = 0; words[i]; i++) {
		nd_buf_puts(out, i ? "," : "");
		put_text(out, words[i]);
	}
	nd_buf_putc(out, ']');
}

static void put_ref(struct nd_buf *out, const struct nd_section *s)
{
	nd_buf_printf(out, "{\"$ref\":\"#/definitions/%s\"}", s->name);
}

/* The members of a schema that say what the value may be. */
static void put_type(struct nd_buf *out, const struct nd_key *k)
{
	switch (k->type) {
	case ND_KEY_TEXT:
	case ND_KEY_PROSE:
	case ND_KEY_SHELL:
	case ND_KEY_QUESTION:
	case ND_KEY_NUMBER:
	case ND_KEY_EXPR: nd_buf_puts(out, SCALAR); return;
	case ND_KEY_EXPRS:
		nd_buf_puts(out, "\"type\":\"object\",\"additionalProperties\":{" SCALAR "}");
		return;
	case ND_KEY_NAMED:
		nd_buf_puts(out, "\"type\":\"object\",\"additionalProperties\":");
		put_ref(out, k->of);
		return;
	case ND_KEY_LIST: /* empty: none of those that `like` would bring */
		nd_buf_puts(out, "\"type\":\"array\",\"items\":");
		put_ref(out, k->of);
		return;
	case ND_KEY_SECTION:
		nd_buf_printf(out, "\"$ref\":\"#/definitions/%s\"", k->of->name);
		return;
	case ND_KEY_TEXTS: nd_buf_puts(out, "\"$ref\":\"#/definitions/texts\""); return;
	case ND_KEY_WORD: put_words(out, k->words); return;
	case ND_KEY_KIND: nd_buf_puts(out, "\"$ref\":\"#/definitions/kind\""); return;
	case ND_KEY_KINDS: nd_buf_puts(out, "\"$ref\":\"#/definitions/kinds\""); return;
	case ND_KEY_FLAG: nd_buf_puts(out, "\"enum\":[true,false,\"yes\",\"no\"]"); return;
	case ND_KEY_BRANCHES:
		nd_buf_puts(out, "\"type\":\"object\",\"additionalProperties\":"
				 "{\"$ref\":\"#/definitions/nodes\"}");
		return;
	case ND_KEY_BRANCH: nd_buf_puts(out, "\"$ref\":\"#/definitions/way\""); return;
	case ND_KEY_GIVEN: nd_buf_puts(out, "\"$ref\":\"#/definitions/given\""); return;
	case ND_KEY_EXPECT: nd_buf_puts(out, "\"$ref\":\"#/definitions/expected\""); return;
	case ND_KEY_ROWS:
		nd_buf_puts(out, "\"type\":\"array\",\"minItems\":1,\"items\":"
				 "{\"$ref\":\"#/definitions/row\"}");
		return;
	}
}

/* With $ref a schema of draft 7 ignores what stands beside it, so the description wraps it. */
static void put_key(struct nd_buf *out, const struct nd_key *k)
{
	struct nd_buf type = {0};
	bool is_ref;

	put_type(&type, k);
	is_ref = nd_starts(nd_buf_str(&type), "\"$ref\"");
	put_text(out, k->name);
	nd_buf_printf(out, is_ref ? ":{\"allOf\":[{%s}]" : ":{%s", nd_buf_str(&type));
	if (strcmp(k->name, "origin") == 0)
		nd_buf_puts(out, ",\"pattern\":\"" ORIGIN "\"");
	nd_buf_puts(out, ",\"description\":");
	put_text(out, k->doc);
	nd_buf_putc(out, '}');
	nd_buf_free(&type);
}

static void put_section(struct nd_buf *out, const struct nd_section *s)
{
	const char *sep = "";

	nd_buf_printf(out,
		      "\"%s\":{\"type\":\"object\",\"additionalProperties\":false,\"required\":[",
		      s->name);
	for (const struct nd_key *k = s->keys; k->name; k++) {
		if (!k->needed)
			continue;
		nd_buf_puts(out, sep);
		put_text(out, k->name);
		sep = ",";
	}
	nd_buf_puts(out, "],\"properties\":{\n");
	for (const struct nd_key *k = s->keys; k->name; k++) {
		put_key(out, k);
		nd_buf_puts(out, k[1].name ? ",\n" : "}}");
	}
}

/* ---- the facts that a test may give ---- */

static void put_property(struct nd_buf *out, const char **sep, const char *name,
			 const char *accessor, const char *type, const char *doc)
{
	struct nd_buf full = {0};

	nd_buf_printf(&full, "%s%s%s", name, *accessor ? "." : "", accessor);
	nd_buf_puts(out, *sep);
	put_text(out, nd_buf_str(&full));
	nd_buf_printf(out, ":{\"$ref\":\"#/definitions/%s\"%s", type,
		      *doc ? ",\"description\":" : "");
	if (*doc)
		put_text(out, doc);
	nd_buf_putc(out, '}');
	*sep = ",\n";
	nd_buf_free(&full);
}

static void put_fact(struct nd_buf *out, const char **sep, const struct nd_fact_def *d)
{
	static const char *const accessors[] = {"total", "delta", "rate", "peak"};
	static const char *const types[] = {[ND_T_NUMBER] = "samples",
					    [ND_T_TEXT] = "value",
					    [ND_T_WORDS] = "value",
					    [ND_T_BOOL] = "value",
					    [ND_T_HIST] = "buckets"};
	bool counter =
		d->type == ND_T_NUMBER && (d->width == ND_COUNTER32 || d->width == ND_COUNTER64);

	put_property(out, sep, d->name, "", counter ? "counter" : types[d->type],
		     d->doc ? d->doc : "");
	for (size_t i = 0; counter && i < ND_ARRAY_LEN(accessors); i++)
		put_property(out, sep, d->name, accessors[i], "value", "");
}

/* Rows of the streamed tables that the kind has. */
static void put_tables(struct nd_buf *out, const char **sep, const struct nd_registry *r,
		       enum nd_kind kind)
{
	for (uint32_t i = 0; i < nd_registry_tables(r); i++) {
		const struct nd_table_def *t = nd_registry_table(r, i);

		for (const enum nd_kind *k = t->on; *k != ND_NO_KIND; k++) {
			if (*k != kind)
				continue;
			nd_buf_puts(out, *sep);
			put_text(out, t->name);
			nd_buf_puts(out, ":{\"type\":\"array\",\"items\":{\"type\":\"object\","
					 "\"additionalProperties\":false,\"properties\":{");
			for (uint32_t c = 0; c < t->n_columns; c++) {
				nd_buf_puts(out, c ? "," : "");
				put_text(out, t->columns[c].name);
				nd_buf_puts(out, ":{" SCALAR "}");
			}
			nd_buf_puts(out, "}}}");
			*sep = ",\n";
		}
	}
}

static void put_facts(struct nd_buf *out, const struct nd_registry *r, enum nd_kind kind)
{
	const char *sep = "";

	nd_buf_printf(out, "\"facts of %s\":{\"type\":\"object\",\"additionalProperties\":false,",
		      nd_kinds[kind].name);
	nd_buf_puts(out, "\"patternProperties\":{\"^log\\\\.\":{\"$ref\":\"#/definitions/lines\"},"
			 "\"^tally\\\\.\":{\"$ref\":\"#/definitions/hits\"}},\"properties\":{\n");
	for (uint32_t i = 0; i < nd_registry_count(r); i++) {
		if (nd_registry_def(r, (nd_fact_id)i)->on == kind)
			put_fact(out, &sep, nd_registry_def(r, (nd_fact_id)i));
	}
	for (unsigned i = 0; i < ND_RELATIONS; i++) {
		if (nd_relations[i].from == kind)
			put_property(out, &sep, nd_relations[i].name, "", "links", "");
		if (nd_relations[i].to == kind &&
		    !(nd_relations[i].from == kind &&
		      strcmp(nd_relations[i].name, nd_relations[i].inverse) == 0))
			put_property(out, &sep, nd_relations[i].inverse, "", "links", "");
	}
	put_tables(out, &sep, r, kind);
	nd_buf_puts(out, "}},\n");
}

/* "host", or "cpu:3" and what follows. */
static void put_entities(struct nd_buf *out)
{
	nd_buf_puts(out, "\"patternProperties\":{");
	for (int k = 0; k < ND_KINDS; k++)
		nd_buf_printf(out, "%s\"^%s%s\":{\"$ref\":\"#/definitions/facts of %s\"}",
			      k ? "," : "", nd_kinds[k].name, nd_kinds[k].plural ? ":" : "$",
			      nd_kinds[k].name);
	nd_buf_puts(out, "}");
}

static void put_given(struct nd_buf *out)
{
	static const char head[] = "{\"type\":\"object\",\"additionalProperties\":false,";
	static const char own[] =
		"\"properties\":{\"log\":{\"$ref\":\"#/definitions/lines\"},"
		"\"none\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/definitions/kind\"},"
		"\"description\":\"kinds that were read and have no entity\"}";

	nd_buf_printf(out, "\"given\":%s%s},", head, own);
	put_entities(out);
	nd_buf_printf(out,
		      "},\n\"row\":%s%s,\"expect\":{\"$ref\":\"#/definitions/expected\"}},"
		      "\"required\":[\"expect\"],",
		      head, own);
	put_entities(out);
	nd_buf_puts(out, "},\n");
}

static void put_reasons(struct nd_buf *out)
{
	nd_buf_puts(out, "\"unknown\":{\"type\":\"object\",\"additionalProperties\":false,"
			 "\"required\":[\"missing\"],\"properties\":{\"missing\":{\"enum\":[");
	for (int i = ND_PRESENT + 1; i < ND_MISSINGS; i++) {
		nd_buf_puts(out, i > ND_PRESENT + 1 ? "," : "");
		put_text(out, nd_missing_name((enum nd_missing)i));
	}
	nd_buf_puts(out, "]}}},\n");
}

/* What values look like. */
static void put_values(struct nd_buf *out)
{
	static const char common[] =
		"\"text\":{" SCALAR "},\n"
		"\"texts\":{\"anyOf\":[{" SCALAR "},{\"type\":\"array\",\"items\":{" SCALAR
		"}}]},\n"
		"\"kinds\":{\"anyOf\":[{\"$ref\":\"#/definitions/kind\"},{\"type\":\"array\","
		"\"items\":{\"$ref\":\"#/definitions/kind\"}}]},\n"
		"\"nodes\":{\"type\":\"array\",\"minItems\":1,\"items\":{\"$ref\":\"#/definitions/node\"}},\n"
		"\"way\":{\"anyOf\":[{\"enum\":[\"next\",\"open\"]},{\"$ref\":\"#/definitions/nodes\"},"
		"{\"$ref\":\"#/definitions/branch\"}]},\n"
		"\"expected\":{\"anyOf\":[{\"enum\":[\"none\",\"clear\"]},"
		"{\"$ref\":\"#/definitions/expect\"}]},\n"
		"\"value\":{\"anyOf\":[{" SCALAR "},{\"$ref\":\"#/definitions/unknown\"}]},\n"
		"\"samples\":{\"anyOf\":[{\"$ref\":\"#/definitions/value\"},{\"type\":\"array\","
		"\"items\":{" SCALAR "}}]},\n"
		"\"counter\":{\"anyOf\":[{\"enum\":[\"absent\"]},{\"$ref\":\"#/definitions/unknown\"},"
		"{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
		"\"total\":{" SCALAR "},\"delta\":{" SCALAR "},\"rate\":{" SCALAR
		"},\"peak\":{" SCALAR "}}}]},\n"
		"\"buckets\":{\"anyOf\":[{\"enum\":[\"absent\"]},{\"$ref\":\"#/definitions/unknown\"},"
		"{\"type\":\"object\",\"additionalProperties\":{" SCALAR "},"
		"\"propertyNames\":{\"pattern\":\"^(missing|.*[.][.].*)$\"}}]},\n"
		"\"links\":{\"anyOf\":[{" SCALAR "},{\"$ref\":\"#/definitions/unknown\"},"
		"{\"type\":\"array\",\"items\":{" SCALAR "}}]},\n"
		"\"lines\":{\"anyOf\":[{\"$ref\":\"#/definitions/unknown\"},{\"type\":\"array\",\"items\":"
		"{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"text\"],"
		"\"properties\":{\"age\":{" SCALAR "},\"text\":{" SCALAR "}}}}]},\n"
		"\"hits\":{\"type\":\"object\",\"additionalProperties\":false,"
		"\"required\":[\"hits\",\"rows\"],"
		"\"properties\":{\"hits\":{" SCALAR "},\"rows\":{" SCALAR "}}},\n";

	nd_buf_puts(out, common);
	nd_buf_puts(out, "\"kind\":{");
	put_kind_words(out);
	nd_buf_puts(out, "},\n");
}

void nd_rule_schema(const struct nd_registry *r, struct nd_buf *out)
{
	static const struct nd_section *const sections[] = {
		&nd_section_rule,	   &nd_section_library,	 &nd_section_param,
		&nd_section_log,	   &nd_section_tally,	 &nd_section_derived,
		&nd_section_tree,	   &nd_section_node,	 &nd_section_branch,
		&nd_section_cause,	   &nd_section_accounts, &nd_section_refute,
		&nd_section_then,	   &nd_section_fix,	 &nd_section_note,
		&nd_section_contradiction, &nd_section_test,	 &nd_section_expect,
	};

	nd_buf_puts(out, "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\n"
			 "\"title\":\"A rule or library file of netdoctor\",\n"
			 "\"type\":\"object\",\n"
			 "\"if\":{\"required\":[\"library\"]},"
			 "\"then\":{\"$ref\":\"#/definitions/library\"},"
			 "\"else\":{\"$ref\":\"#/definitions/rule\"},\n"
			 "\"definitions\":{\n");
	put_values(out);
	put_reasons(out);
	put_given(out);
	for (int k = 0; k < ND_KINDS; k++)
		put_facts(out, r, (enum nd_kind)k);
	for (size_t i = 0; i < ND_ARRAY_LEN(sections); i++) {
		put_section(out, sections[i]);
		nd_buf_puts(out, i + 1 < ND_ARRAY_LEN(sections) ? ",\n" : "\n}}\n");
	}
}
