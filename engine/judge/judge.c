/* Facts and rules in, findings out. */
#include "engine/judge/judge.h"

#include <math.h>

#include "engine/judge/assemble.h"

static double host_number(struct nd_facts *f, const char *name)
{
	nd_fact_id id = nd_registry_find(nd_facts_registry(f), ND_HOST, name);
	struct nd_value v;

	if (id < 0)
		return NAN;
	v = nd_get(f, 0, id, ND_BARE);
	return v.type == ND_V_NUMBER ? v.num : NAN;
}

static const char *host_text(struct nd_run *run, const char *name)
{
	nd_fact_id id = nd_registry_find(nd_facts_registry(run->f), ND_HOST, name);
	struct nd_value v = {.type = ND_V_MISSING};

	if (id >= 0)
		v = nd_get(run->f, 0, id, ND_BARE);
	return nd_arena_strdup(run->arena, v.type == ND_V_TEXT ? v.text : "");
}

static void describe(struct nd_run *run, const struct nd_judge_about *about, struct nd_findings *r)
{
	double window = host_number(run->f, "window");

	r->version = nd_arena_strdup(run->arena, about->version);
	r->source = nd_arena_strdup(run->arena, about->source);
	r->host_name = nd_arena_strdup(run->arena, about->host_name ? about->host_name : "");
	r->netns = nd_arena_strdup(run->arena, about->netns ? about->netns : "");
	r->netns_enter = nd_arena_strdup(run->arena, about->netns_enter ? about->netns_enter : "");
	r->started_s = about->started_s;
	r->ended_s = about->ended_s;
	r->utc_offset_s = about->utc_offset_s;
	r->own_cpu = about->own_cpu;
	r->own_wall = about->own_wall;
	r->kernel = host_text(run, "kernel.release");
	r->uptime = host_number(run->f, "uptime");
	r->window = isnan(window) ? 0 : window;
	nd_entities(run->f, ND_CPU, &r->cpus);
	r->symptom =
		"not-measurable"; /* nothing measures the user's latency yet: counters show causes, not the symptom */
}

struct nd_findings *nd_judge(const struct nd_rules *rules, struct nd_facts *f,
			     const struct nd_judge_about *about)
{
	struct nd_findings *r = nd_alloc(sizeof(*r));
	struct nd_run run = {.rules = rules, .f = f, .arena = &r->arena};
	struct nd_outcome o = {0};
	struct nd_finding *all;

	nd_judge_run(&run, UINT32_MAX, &o);
	all = nd_arena_alloc(run.arena, (o.n_found + 1) * sizeof(*all));
	for (uint32_t i = 0; i < o.n_found; i++)
		nd_assemble_finding(&run, &o, o.found[i], &all[r->n_findings++]);
	r->findings = all;
	describe(&run, about, r);
	nd_assemble_rest(&run, &o, r);
	nd_outcome_free(&o);
	nd_run_free(&run);
	return r;
}

void nd_findings_free(struct nd_findings *r)
{
	if (!r)
		return;
	nd_arena_free(&r->arena);
	free(r);
}
