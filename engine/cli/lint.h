/* The parts of rules lint that run programs or write files. */
#ifndef ND_CLI_LINT_H
#define ND_CLI_LINT_H

#include "engine/rule/lint.h"

/* Asks sh whether it can read the commands of a rule's fixes, with a word in each hole. Runs none of them. */
void nd_lint_shell(const struct nd_rules *rules, const struct nd_rule *r, struct nd_buf *messages);

/* rules lint --fix: mends the files, and those of directories. Says on stderr what was done. Returns 0 or the status to
 * exit with. */
int nd_lint_mend(const struct nd_registry *registry, const char *const *paths, uint32_t n);
#endif
