/* The set of rules: files in, checked rules out; names replace names. */
#include "engine/rule/rule.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/rule/expr_match.h"

#define MAX_FILE (1024 * 1024)

struct nd_rules *nd_rules_new(const struct nd_registry *r)
{
	struct nd_rules *rules = nd_alloc(sizeof(*rules));

	rules->registry = r;
	return rules;
}

void nd_rules_free(struct nd_rules *rules)
{
	if (!rules)
		return;
	for (uint32_t i = 0; i < rules->n_patterns; i++)
		nd_pattern_free(rules->patterns[i]);
	free(rules->patterns);
	free(rules->logs);
	free(rules->settings);
	free(rules->memos);
	free(rules->rules);
	free(rules->libraries);
	nd_arena_free(&rules->arena);
	free(rules);
}

const struct nd_registry *nd_rules_registry(const struct nd_rules *rules)
{
	return rules->registry;
}

void nd_rules_keep_pattern(struct nd_rules *rules, struct nd_pattern *p)
{
	ND_GROW(rules->patterns, rules->n_patterns, rules->cap_patterns);
	rules->patterns[rules->n_patterns++] = p;
}

static void add_rule(struct nd_rules *rules, struct nd_rule *r)
{
	for (uint32_t i = 0; i < rules->n; i++) {
		if (strcmp(rules->rules[i]->name, r->name) == 0) {
			rules->rules[i] = r;
			return;
		}
	}
	ND_GROW(rules->rules, rules->n, rules->cap);
	rules->rules[rules->n++] = r;
}

static void add_library(struct nd_rules *rules, struct nd_library *lib)
{
	for (uint32_t i = 0; i < rules->n_libraries; i++) {
		if (strcmp(rules->libraries[i]->name, lib->name) == 0) {
			rules->libraries[i] = lib;
			return;
		}
	}
	ND_GROW(rules->libraries, rules->n_libraries, rules->cap_libraries);
	rules->libraries[rules->n_libraries++] = lib;
}

/* "rules/accept-queue.yaml" → "accept-queue", or NULL for other names. */
static const char *name_of_file(struct nd_arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;

	return nd_ends(base, ".yaml") ? nd_arena_strndup(a, base, strlen(base) - 5) : NULL;
}

static bool check_head(struct nd_loader *l, const struct nd_yaml *y, const struct nd_yaml *name)
{
	const struct nd_yaml *version = nd_yaml_get(y, "version");
	const char *file = name_of_file(&l->rules->arena, l->path);
	uint32_t before = l->errors;

	if (version && (version->type != ND_YAML_TEXT || strcmp(version->text, "1") != 0))
		nd_say(l, version, 0, "language version 1 is the only one this program knows");
	if (!name || name->type != ND_YAML_TEXT || !*name->text)
		nd_say(l, y, 0, "expected \"rule: NAME\" (or \"library: NAME\")");
	else if (file && strcmp(file, name->text) != 0)
		nd_say(l, name, 0, "the file is called %s.yaml: name and file name must be equal",
		       file);
	return l->errors == before;
}

int nd_rules_add_text(struct nd_rules *rules, const char *path, const char *text, size_t len,
		      struct nd_buf *messages)
{
	struct nd_arena *a = &rules->arena;
	struct nd_loader l = {.rules = rules, .path = nd_arena_strdup(a, path), .len = len};
	const struct nd_yaml *y, *name, *library;
	char *copy = nd_arena_alloc(a, len + 1);

	memcpy(copy, text, len); /* bytes of value 0 too: YAML tells where they are */
	l.text = copy;
	l.messages = messages;
	y = nd_yaml_parse(a, l.path, l.text, len, messages);
	if (!y)
		return 1;
	if (y->type != ND_YAML_MAP) {
		nd_say(&l, y, 0, "expected a rule: keys and values");
		return (int)l.errors;
	}
	library = nd_yaml_get(y, "library");
	name = library ? library : nd_yaml_get(y, "rule");
	if (!check_head(&l, y, name))
		return (int)l.errors;
	if (library) {
		struct nd_library *lib = nd_arena_alloc(a, sizeof(*lib));

		*lib = (struct nd_library){
			.name = name->text, .path = l.path, .text = l.text, .len = len, .yaml = y};
		add_library(rules, lib);
	} else {
		struct nd_rule *r = nd_arena_alloc(a, sizeof(*r));

		*r = (struct nd_rule){
			.name = name->text, .path = l.path, .text = l.text, .len = len, .yaml = y};
		add_rule(rules, r);
	}
	return 0;
}

int nd_rules_read_file(const char *path, struct nd_buf *out, struct nd_err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char chunk[16384];
	ssize_t n;

	if (fd < 0)
		return nd_fail(e, -errno, "%s: %s", path, strerror(errno));
	while ((n = read(fd, chunk, sizeof(chunk))) > 0 && out->len <= MAX_FILE)
		nd_buf_put(out, chunk, (size_t)n);
	if (n < 0) {
		int rc = nd_fail(e, -errno, "%s: %s", path, strerror(errno));

		close(fd);
		return rc;
	}
	close(fd);
	return 0;
}

static int is_rule_file(const struct dirent *d)
{
	return d->d_name[0] != '.' && nd_ends(d->d_name, ".yaml");
}

static int add_files(struct nd_rules *rules, const char *dir, struct nd_buf *messages,
		     struct nd_err *e)
{
	struct dirent **names;
	int n = scandir(dir, &names, is_rule_file, alphasort), errors = 0, rc = 0;

	if (n < 0)
		return nd_fail(e, -errno, "%s: %s: expected a directory of rule files", dir,
			       strerror(errno));
	for (int i = 0; i < n; i++) {
		struct nd_buf text = {0};
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", dir, names[i]->d_name);
		free(names[i]);
		if (rc < 0)
			continue;
		rc = nd_rules_read_file(path, &text, e);
		if (rc == 0)
			errors += nd_rules_add_text(rules, path, nd_buf_str(&text), text.len,
						    messages);
		nd_buf_free(&text);
	}
	free(names);
	return rc < 0 ? rc : errors;
}

int nd_rules_add_dir(struct nd_rules *rules, const char *dir, struct nd_buf *messages,
		     struct nd_err *e)
{
	char lib[4096];
	struct stat st;
	int errors = 0, rc;

	if (stat(dir, &st) == 0 && S_ISREG(st.st_mode)) {
		struct nd_buf text = {0};

		rc = nd_rules_read_file(dir, &text, e);
		if (rc == 0)
			rc = nd_rules_add_text(rules, dir, nd_buf_str(&text), text.len, messages);
		nd_buf_free(&text);
		return rc;
	}
	snprintf(lib, sizeof(lib), "%s/lib", dir);
	if (stat(lib, &st) == 0 && S_ISDIR(st.st_mode)) {
		errors = add_files(rules, lib, messages, e);
		if (errors < 0)
			return errors;
	}
	rc = add_files(rules, dir, messages, e);
	return rc < 0 ? rc : rc + errors;
}

int nd_rules_check(struct nd_rules *rules, struct nd_buf *messages)
{
	struct nd_loader l = {.rules = rules, .messages = messages};
	struct nd_expr_error e;

	rules->loader = &l;
	for (uint32_t i = 0; i < rules->n_libraries; i++)
		nd_rules_load_library(&l, rules->libraries[i]);
	for (uint32_t i = 0; i < rules->n_libraries; i++) {
		for (uint32_t k = 0; k < rules->libraries[i]->n_derived; k++)
			nd_rules_compile_derived(rules, &rules->libraries[i]->derived[k], &e);
	}
	for (uint32_t i = 0; i < rules->n; i++)
		nd_rules_load_rule(&l, rules->rules[i]);
	nd_settings_check(&l);
	rules->loader = NULL;
	return (int)l.errors;
}

struct nd_derived *nd_rules_derived(const struct nd_rules *rules, enum nd_kind on, const char *name)
{
	for (uint32_t i = 0; i < rules->n_libraries; i++) {
		struct nd_library *lib = rules->libraries[i];

		for (uint32_t k = 0; k < lib->n_derived; k++) {
			if (lib->derived[k].on == on && strcmp(lib->derived[k].name, name) == 0)
				return &lib->derived[k];
		}
	}
	return NULL;
}

const struct nd_log_pattern *nd_rules_library_log(const struct nd_rules *rules, const char *name)
{
	for (uint32_t i = 0; i < rules->n_libraries; i++) {
		const struct nd_library *lib = rules->libraries[i];

		for (uint32_t k = 0; k < lib->n_logs; k++) {
			if (strcmp(lib->logs[k].name, name) == 0)
				return &lib->logs[k];
		}
	}
	return NULL;
}

const struct nd_log_pattern *nd_rules_log(const struct nd_rules *rules, uint32_t slot)
{
	return rules->logs[slot];
}

uint32_t nd_rules_count(const struct nd_rules *rules)
{
	return rules->n;
}

const char *nd_rules_name(const struct nd_rules *rules, uint32_t i)
{
	return rules->rules[i]->name;
}

const char *nd_rules_title(const struct nd_rules *rules, uint32_t i)
{
	return rules->rules[i]->title ? rules->rules[i]->title : "";
}

const char *nd_rules_path(const struct nd_rules *rules, uint32_t i)
{
	return rules->rules[i]->path;
}
