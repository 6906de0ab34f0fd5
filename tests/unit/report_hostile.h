/* Findings in which every text is the same, whatever it is. */
#ifndef ND_REPORT_HOSTILE_H
#define ND_REPORT_HOSTILE_H

#include "tests/unit/report_fixtures.h"

struct hostile {
	struct nd_findings r;
	const char *texts[2];
	struct nd_evidence_value values[2];
	struct nd_missing_fact missing[1];
	struct nd_evidence evidence[1];
	struct nd_fix fixes[3];
	struct nd_related related[1];
	struct nd_finding findings[1];
	struct nd_ruled_out ruled_out[1];
	struct nd_open open[1];
	struct nd_unexamined unexamined[1];
	struct nd_note notes[1];
	struct nd_source_note inputs[1];
};

static void hostile_finding(struct hostile *h, const char *s)
{
	h->values[0] = (struct nd_evidence_value){
		s, s, {.type = ND_V_TEXT, .text = s}, ND_U_NONE, s, s, true};
	h->values[1] = (struct nd_evidence_value){s, s,	   MISSING(ND_PARSE_ERROR, s), ND_U_NONE, s,
						  s, false};
	h->evidence[0] = (struct nd_evidence){s, s, ND_YES, ND_DECIDES, true, s, N(h->values), 0};
	h->fixes[0] = (struct nd_fix){ND_CURE, s, s, s, s, s, s, s, s, s, s, NULL};
	h->fixes[1] = (struct nd_fix){.tier = ND_CURE, .title = s, .advice = s, .missing = s};
	h->fixes[2] = (struct nd_fix){.tier = ND_CURE, .title = s, .not_offered = s};
	h->related[0] = (struct nd_related){s, s, s};
	h->findings[0] = (struct nd_finding){.cause = s,
					     .rule = s,
					     .entity = s,
					     LIST(entities, h->texts),
					     .word = ND_LIKELY,
					     .title = s,
					     .because = s,
					     .cap = s,
					     .share = 0.5,
					     .share_of = s,
					     .fit = 0.1,
					     .too_small = true,
					     LIST(evidence, h->evidence),
					     LIST(fixes, h->fixes),
					     LIST(related, h->related),
					     LIST(references, h->texts)};
}

static const struct nd_findings *hostile(struct hostile *h, const char *s)
{
	*h = (struct hostile){.texts = {s, s}};
	hostile_finding(h, s);
	h->missing[0] = (struct nd_missing_fact){s, s, ND_TIMED_OUT, s, s, s, s};
	h->ruled_out[0] = (struct nd_ruled_out){s, s, s, 1, s, s, true};
	h->open[0] = (struct nd_open){s, s, s, 1, s, 1, N(h->missing), s};
	h->unexamined[0] = (struct nd_unexamined){s, s, true, s, 1, N(h->missing)};
	h->notes[0] = (struct nd_note){s, s, s, s, 1};
	h->inputs[0] = (struct nd_source_note){s, s};
	h->r = (struct nd_findings){.version = s,
				    .verdict = ND_CAUSES,
				    .headline = s,
				    .source = "live",
				    .symptom = "seen",
				    .host_name = s,
				    .kernel = s,
				    .uptime = NAN,
				    .window = 1,
				    LIST(findings, h->findings),
				    LIST(ruled_out, h->ruled_out),
				    LIST(open, h->open),
				    LIST(unexamined, h->unexamined),
				    LIST(notes, h->notes),
				    LIST(contradictions, h->notes),
				    LIST(inputs, h->inputs),
				    .next = s,
				    .own_cpu = NAN,
				    .own_wall = NAN};
	return &h->r;
}
#endif
