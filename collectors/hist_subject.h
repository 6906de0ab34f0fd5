/* What a printed histogram measures: told by its tool, its file's name, its label, its map's name, or its script. */
#ifndef ND_HIST_SUBJECT_H
#define ND_HIST_SUBJECT_H

#include "collectors/collector.h"
#include "collectors/function.h"
#include "collectors/hist_text.h"

enum nd_hist_what {
	ND_HIST_UNKNOWN,
	ND_HIST_RUNQ, /* from runnable to running */
	ND_HIST_RUNQ_LENGTH,
	ND_HIST_FUNCTION, /* from entry to return */
	ND_HIST_SOFTIRQ, /* the same, of a softirq's handler */
	ND_HIST_DISK, /* disk requests */
	ND_HIST_OTHER /* known, and nothing here asks for it */
};

#define ND_HIST_MAPS 16

/* What a file as a whole says. Zero is nothing. */
struct nd_hist_subject {
	enum nd_hist_what what;
	double unit; /* s, that the tool prints in when no line says */
	char function[ND_SYMBOL_MAX]; /* the only one that is watched */
	bool shared; /* its name also belongs to other outputs */
	/* of a script: the probe whose body is being read, and what each map is filled in */
	char probe[ND_SYMBOL_MAX];
	bool returns, wakeups; /* that probe is a return; the script watches wakeups */
	struct {
		char name[32];
		enum nd_hist_what what;
		char function[ND_SYMBOL_MAX];
	} maps[ND_HIST_MAPS];
	uint32_t n_maps;
};

struct nd_hist_label {
	enum nd_hist_what what;
	char map[80]; /* bpftrace: "@usecs[nginx]" */
	char comm[32], function[ND_SYMBOL_MAX];
	uint64_t pid;
	bool has_pid, idle;
};

void nd_hist_subject_path(struct nd_hist_subject *s, const char *path);
/* A line that is no part of a histogram: a tool's first line, or one of a script. */
void nd_hist_subject_line(struct nd_hist_subject *s, const char *line);
/* "pid = 1234 nginx", "Function = b'vfs_read'", "@usecs[nginx]:": true if the line is a label. */
bool nd_hist_label_line(char *line, struct nd_hist_label *out);
/* Settles what a labelled histogram is, and its unit where the header had none (*scale is 0). */
void nd_hist_resolve(const struct nd_hist_subject *s, struct nd_hist_label *label, double *scale);
#endif
