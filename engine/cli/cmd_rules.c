/* rules test: the tests inside the rules. */
#include "engine/cli/cmd.h"
#include "engine/cli/rules_view.h"
#include "engine/cli/session.h"
#include "engine/judge/judge.h"

int nd_cmd_rules_test(const struct nd_options *o, struct nd_buf *out)
{
	uint32_t passed = 0, failed = 0;
	struct nd_session s;
	int status;

	nd_session_begin(&s);
	status = nd_session_rules(&s, o, o->args, o->n_args, false);
	for (uint32_t i = 0; status == 0 && i < nd_rules_count(s.rules); i++) {
		if (nd_rule_is_from(nd_rules_path(s.rules, i), o->args, o->n_args))
			nd_ruletest(s.rules, nd_rules_name(s.rules, i),
				    nd_opt_given(o, ND_OPT_VERBOSE), out, &passed, &failed);
	}
	if (status == 0)
		nd_buf_printf(out, "%u passed, %u failed\n", passed, failed);
	nd_session_end(&s);
	return failed ? ND_EXIT_INPUT : status;
}
