/* The latency that somebody complains of: declared here so that rules can weigh a cause against it. Nobody measures
 * it yet; a rule's test, or whoever runs the program, states it. */
#include "collectors/collector.h"

#define SECONDS(n, text)                                                                           \
	{                                                                                          \
		.name = n, .on = ND_SYMPTOM, .type = ND_T_NUMBER, .unit = ND_U_SECONDS,            \
		.doc = text                                                                        \
	}

static const struct nd_fact_def facts[] = {
	SECONDS("p50", "latency that half of the requests stay below"),
	SECONDS("p99", "latency that 99 % of the requests stay below"),
	SECONDS("excess", "how much longer the slow requests take than they should"),
	{.name = "percentile",
	 .on = ND_SYMPTOM,
	 .type = ND_T_NUMBER,
	 .unit = ND_U_PERCENT,
	 .doc = "share of the requests that are not slow: 99 % if the P99 suffers"},
	{0},
};

static void finish(struct nd_facts *f)
{
	for (const struct nd_fact_def *d = facts; d->name; d++)
		nd_fact_missing(f, d, ND_NOT_SAMPLED, "nobody stated how late requests are");
}

const struct nd_collector nd_collector_symptom = {
	.name = "symptom",
	.doc = "the latency that is complained of",
	.facts = facts,
	.entities = {ND_NO_KIND},
	.finish = finish,
};
