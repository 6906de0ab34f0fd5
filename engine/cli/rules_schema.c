/* rules schema: what editors need to complete and check rule files. */
#include "engine/rule/schema.h"
#include "engine/cli/cmd.h"
#include "engine/cli/session.h"

int nd_cmd_rules_schema(const struct nd_options *o, struct nd_buf *out)
{
	struct nd_session s;

	(void)o;
	nd_session_begin(&s);
	nd_rule_schema(s.registry, out);
	nd_session_end(&s);
	return 0;
}
