/* Help and version, printed from the tables of commands and options. */
#include <unistd.h>

#include "engine/cli/cmd.h"

#define COLUMNS 100
#define INDENT 30

/* Text from column INDENT on, broken between words; the line is at column `at` now. */
static void wrapped(struct nd_buf *out, size_t at, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, " ");

		if (at > INDENT && at + 1 + n > COLUMNS) {
			nd_buf_putc(out, '\n');
			at = 0;
		}
		if (at < INDENT) {
			nd_buf_printf(out, "%*s", (int)(INDENT - at), "");
			at = INDENT;
		} else {
			nd_buf_putc(out, ' ');
			at++;
		}
		nd_buf_put(out, text, n);
		at += n;
		text += n + strspn(text + n, " ");
	}
	nd_buf_putc(out, '\n');
}

static void option(struct nd_buf *out, const struct nd_opt_row *r)
{
	struct nd_buf help = {0};
	size_t before = out->len;

	nd_buf_puts(&help, r->help);
	if (r->value)
		nd_buf_printf(&help, " (default %s)", r->value);
	if (r->many)
		nd_buf_puts(&help, " (may be repeated)");
	if (r->letter)
		nd_buf_printf(out, "  -%c, --%s", r->letter, r->name);
	else
		nd_buf_printf(out, "      --%s", r->name);
	if (r->arg)
		nd_buf_printf(out, " %s", r->arg);
	wrapped(out, out->len - before, nd_buf_str(&help));
	nd_buf_free(&help);
}

static void options(struct nd_buf *out, uint32_t takes)
{
	for (int i = 0; i < ND_OPTS; i++) {
		if (takes & ND_TAKES(i))
			option(out, &nd_opt_rows[i]);
	}
}

static void command(struct nd_buf *out, const struct nd_command *c)
{
	nd_buf_printf(out, "  %s", c->name);
	wrapped(out, 2 + strlen(c->name), c->doc);
}

void nd_usage(struct nd_buf *out, const struct nd_command *c)
{
	nd_buf_printf(out, "usage: netdoctor %s%s%s%s\n", c->name, c->takes ? " [OPTIONS]" : "",
		      *c->args ? " " : "", c->args);
}

static void overview(struct nd_buf *out)
{
	nd_buf_puts(
		out,
		"netdoctor " ND_VERSION
		": finds out why the network of this host is slow, and proves it by numbers.\n\n"
		"usage: netdoctor COMMAND [OPTIONS]\n\n");
	for (const struct nd_command *c = nd_commands; c->name; c++)
		command(out, c);
	nd_buf_puts(out, "\nWith every command:\n");
	options(out, ND_TAKES_ALWAYS);
	nd_buf_puts(
		out,
		"\nExit status: 0 healthy, 1 a cause is likely or confirmed, 2 usage, 3 inconclusive, 4 bad rules or\n"
		"nothing could be read, 5 netdoctor's own failure.\n"
		"netdoctor help run lists the options of run.\n");
}

bool nd_help(struct nd_buf *out, const char *prefix)
{
	size_t n = strlen(prefix), found = 0;

	if (!n) {
		overview(out);
		return true;
	}
	for (const struct nd_command *c = nd_commands; c->name; c++) {
		if (strncmp(c->name, prefix, n) != 0 || (c->name[n] && c->name[n] != ' '))
			continue;
		if (found++)
			nd_buf_putc(out, '\n');
		nd_usage(out, c);
		nd_buf_printf(out, "  %s\n", c->doc);
		options(out, c->name[n] ? c->takes : c->takes | ND_TAKES_ALWAYS);
	}
	return found > 0;
}

int nd_cmd_help(const struct nd_options *o, struct nd_buf *out)
{
	char name[64] = "";

	if (o->n_args > 0)
		snprintf(name, sizeof(name), "%s", o->args[0]);
	if (o->n_args > 1)
		snprintf(name, sizeof(name), "%s %s", o->args[0], o->args[1]);
	if (nd_help(out, name))
		return 0;
	/* "rules show accept-queue --help": the second word may be an operand. */
	if (o->n_args > 1 && nd_help(out, o->args[0]))
		return 0;
	return nd_usage_error(NULL, "there is no command '%s'", name);
}

int nd_cmd_version(const struct nd_options *o, struct nd_buf *out)
{
	(void)o;
	nd_buf_puts(out, "netdoctor " ND_VERSION "\n");
	return 0;
}
