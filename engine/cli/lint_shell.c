/* sh -n over the commands of fixes. The text comes from a file, not from the command line, so that nothing of it can
 * be taken for an option, and sh gets no environment. */
#include <errno.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/cli/cmd.h"
#include "engine/cli/lint.h"

#define SAID_BYTES 256

/* The text as it could be printed: holes hold numbers or words. */
static void fill(struct nd_buf *out, const struct nd_ctext *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		const struct nd_text_piece *p = &t->pieces[i];

		if (p->literal)
			nd_buf_puts(out, p->literal);
		else
			nd_buf_puts(out, p->code && p->code->type.t == ND_X_NUMBER ? "1" : "word");
	}
	nd_buf_putc(out, '\n');
}

static int spawn_sh(FILE *in, FILE *out, pid_t *pid)
{
	static const char *const args[] = {"sh", "-n", NULL};
	char *const none[] = {NULL};
	posix_spawn_file_actions_t fds;
	int rc = posix_spawn_file_actions_init(&fds);

	if (rc)
		return rc;
	rc = posix_spawn_file_actions_adddup2(&fds, fileno(in), 0);
	rc = rc ? rc : posix_spawn_file_actions_adddup2(&fds, fileno(out), 1);
	rc = rc ? rc : posix_spawn_file_actions_adddup2(&fds, fileno(out), 2);
	rc = rc ? rc
		: posix_spawn(pid, "/bin/sh", &fds, NULL, (char *const *)(uintptr_t)args, none);
	posix_spawn_file_actions_destroy(&fds);
	return rc;
}

/* True: sh refuses the text, and says why in `said`. Without a sh nothing is refused. */
static bool refused(const struct nd_buf *text, char said[SAID_BYTES])
{
	FILE *in = tmpfile(), *out = tmpfile();
	bool bad = false;
	int status = 0;
	pid_t pid;
	size_t n;

	said[0] = '\0';
	if (in && out && fwrite(text->s, 1, text->len, in) == text->len && fflush(in) == 0 &&
	    lseek(fileno(in), 0, SEEK_SET) == 0 && spawn_sh(in, out, &pid) == 0) {
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		/* 127: there is no sh; a signal: not its verdict */
		bad = WIFEXITED(status) && WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 127;
		rewind(out);
		n = bad ? fread(said, 1, SAID_BYTES - 1, out) : 0;
		said[n] = '\0';
		said[strcspn(said, "\n")] = '\0';
	}
	if (in)
		fclose(in);
	if (out)
		fclose(out);
	return bad;
}

/* "sh: 2: Syntax error: …" or "sh: line 2: syntax error …": the line, and what it says. */
static const char *take_line(const char *said, uint64_t *line)
{
	const char *at = strchr(said, ':'), *rest;
	char digits[12] = "";
	size_t n;

	*line = 1;
	if (!at || at[1] != ' ')
		return said;
	at += 2;
	rest = nd_starts(at, "line ") ? at + 5 : at;
	n = strspn(rest, "0123456789");
	if (n == 0 || n >= sizeof(digits) || rest[n] != ':')
		return at;
	memcpy(digits, rest, n);
	nd_parse_u64(digits, 10, line);
	return rest + n + 1 + strspn(rest + n + 1, " ");
}

/* Where line number `line` of a text begins, or its last one. */
static uint32_t line_start(const char *text, uint64_t line)
{
	const char *at = text, *newline;

	for (; line > 1 && (newline = strchr(at, '\n')) && newline[1]; line--)
		at = newline + 1;
	return (uint32_t)(at - text);
}

static void check_text(struct nd_lint *l, const struct nd_ctext *t, const struct nd_yaml *at)
{
	struct nd_buf text = {0};
	char said[SAID_BYTES];

	if (!t || !at || at->type != ND_YAML_TEXT)
		return;
	fill(&text, t);
	if (refused(&text, said)) {
		uint64_t line;
		const char *why = take_line(said, &line);

		nd_lint_error(l, at, line_start(at->text, line),
			      "sh cannot read this, with a word in each hole: %s", why);
	}
	nd_buf_free(&text);
}

static void check_fix(struct nd_lint *l, const struct nd_fix_rule *f, const struct nd_yaml *y)
{
	check_text(l, f->run, nd_yaml_get(y, "run"));
	check_text(l, f->undo, nd_yaml_get(y, "undo"));
	check_text(l, f->persist, nd_yaml_get(y, "persist"));
}

static bool is_new(const struct nd_yaml **seen, uint32_t *n, const struct nd_yaml *y)
{
	for (uint32_t i = 0; i < *n; i++) {
		if (seen[i] == y)
			return false;
	}
	seen[(*n)++] = y;
	return true;
}

void nd_lint_shell(const struct nd_rules *rules, const struct nd_rule *r, struct nd_buf *messages)
{
	struct nd_lint l = nd_lint_of_rule(rules, r, messages);
	const struct nd_yaml **seen; /* lists of fixes: causes may be like others */
	uint32_t uses = 0, n = 0;

	for (uint32_t i = 0; i < r->n_trees; i++)
		uses += r->trees[i].n_uses;
	seen = nd_alloc((uses + 1) * sizeof(*seen));
	for (uint32_t i = 0; i < r->n_trees; i++) {
		for (uint32_t u = 0; u < r->trees[i].n_uses; u++) {
			const struct nd_use *use = &r->trees[i].uses[u];
			const struct nd_yaml *fixes = nd_cause_key(use->cause, "fix");

			if (!fixes || !is_new(seen, &n, fixes))
				continue;
			for (uint32_t f = 0; f < use->n_fixes; f++)
				check_fix(&l, &use->fixes[f], fixes->items[f]);
		}
	}
	free(seen);
}
