/* The only door to /proc, /sys and recorded outputs: a source hands inputs to collectors as streams.
 *
 * A collector names what it can read by patterns and never opens a file itself; the same parser
 * therefore serves a live host, a copied /proc and a pasted tool output. */
#ifndef ND_SOURCE_H
#define ND_SOURCE_H

#include "engine/core/fact.h"

enum nd_read_flags {
	ND_READ_ONCE = 1, /* does not move within a window: read at the first moment only */
	ND_READ_NETNS = 2, /* belongs to a network namespace: live it is read for each namespace */
	ND_READ_BINARY =
		4, /* no text: known by its first bytes, which `like` has in hex, one alternative a line */
};

/* What a collector reads.
 *   "/proc/net/softnet_stat"        a file of the system; in a folder also a copy of the tree, or a file
 *                                   of that last name ("softnet_stat", "softnet_stat.txt")
 *   "/sys/class/net/STAR/speed"     STAR (written as an asterisk) is one path component, handed on as input.arg
 *   "netstat -s", "ethtool -S STAR" output of a tool, only in folders: the first word of the file name and
 *                                   each option letter must be there ("netstat_-s.txt", "ethtool-S-eth0") */
struct nd_read {
	const char *what; /* NULL ends the list */
	unsigned flags;
	/* Of an output whose file name does not tell: shell patterns (* ? [a-z] [!x]) of whole lines, without blanks
	 * at their ends, that only this output has; separated by newlines, each to be met by one of its first lines,
	 * in any order; such as its header. Behind a blank line follows another set of patterns that will do as
	 * well ("A1\nA2\n\nB1"). NULL: by name alone. */
	const char *like;
};

/* One input. Returns 0, or a negative errno with e filled: then the input is bad as a whole; single bad lines
 * are missing facts and the parser goes on. */
typedef int nd_input_fn(void *ctx, const struct nd_input *in, struct nd_stream *s,
			struct nd_err *e);

struct nd_source;
/* The running host. proc and sys are the mount points, normally "/proc" and "/sys". */
struct nd_source *nd_source_live(const char *proc, const char *sys);
/* A copied tree, a sosreport's layout, or a flat folder of tool outputs; a single file is a folder of one.
 * Several paths make one source: call nd_source_folder_add for each further one. */
struct nd_source *nd_source_folder(const char *path, struct nd_err *e);
int nd_source_folder_add(struct nd_source *s, const char *path, struct nd_err *e);
void nd_source_free(struct nd_source *s);
bool nd_source_is_live(const struct nd_source *s);
const char *
nd_source_name(const struct nd_source *s); /* "live" or "folder", as in the JSON report */

/* Folders, before the first nd_source_each, and again after files were added: finds out what files are whose names do
 * not tell, and cuts pasted texts into their outputs. lists: all that will be read, n lists that end with what NULL. */
void nd_source_prepare(struct nd_source *s, const struct nd_read *const *lists, uint32_t n);

/* After that: is there a capture of ours in the folder? Then its facts stand for all else. */
bool nd_source_capture(struct nd_source *s, const char **facts, size_t *len);

/* Calls fn for every input that the pattern names now: live the present content, from a folder all moments in
 * order of time. An input that cannot be opened is reported through `bad` (may be NULL) and skipped.
 * Returns the number of inputs that existed, readable or not. */
struct nd_bad_input {
	void (*fn)(void *ctx, const char *path, enum nd_missing why, const char *detail);
	void *ctx;
};
int nd_source_each(struct nd_source *s, const struct nd_read *r, nd_input_fn *fn, void *ctx,
		   const struct nd_bad_input *bad);

/* Live only: one small file as text, for collectors that join (sysfs attributes, readlinks). path may be any
 * path below proc or sys, written with /proc and /sys. 0, or negative errno; out is NUL-terminated, cut at size. */
int nd_source_text(struct nd_source *s, const char *path, char *out, size_t size);
int nd_source_link(struct nd_source *s, const char *path, char *out, size_t size); /* readlink */
/* Names in a directory, sorted; free with nd_source_names_free. Negative errno when it cannot be read. */
int nd_source_names(struct nd_source *s, const char *path, char ***names);
/* The first max of them as the directory has them, sorted: of a process's descriptors the lowest. */
int nd_source_names_first(struct nd_source *s, const char *path, uint32_t max, char ***names);
void nd_source_names_free(char **names, int n);

/* The present moment on the monotonic clock, ns; in a folder that of its latest input. */
uint64_t nd_source_now(const struct nd_source *s);

/* Live: the network namespaces that have a process in them. Index 0 is the target's own, named "host"; others are
 * named by `ip netns` name where there is one, else by inode number. proc_net is "/proc/PID/net" of a process in it. */
struct nd_netns {
	const char *name, *proc_net;
};
const struct nd_netns *nd_source_netns(struct nd_source *s, uint32_t *n, struct nd_status *status);

/* Is an input's path that of a part of a pasted text ("paste.txt:8/proc/net/snmp")? What is not beside it is unknown. */
bool nd_source_is_pasted(const char *path);

/* Moves this process, which has one thread, into the network namespace that a file names (/run/netns/NAME, /proc/PID/ns/net), and
 * gives it a /sys of that namespace which nobody else sees. For the rest of its life; call it before a live source is made. 0, or
 * a negative errno with e filled. Needs CAP_SYS_ADMIN unless we are in it already. */
int nd_netns_enter(const char *path, struct nd_err *e);

/* Folder: files that no collector asked for, for the report ("not recognised: foo.txt"). */
const char *const *nd_source_unused(struct nd_source *s, uint32_t *n);
/* Folder: what was read as something that its name does not say, and what was left out on purpose. */
struct nd_source_remark {
	const char *path, *says; /* "x17.txt", "read as ss, by its content" */
	bool read; /* else it was left out */
};
const struct nd_source_remark *nd_source_remarks(struct nd_source *s, uint32_t *n);
#endif
