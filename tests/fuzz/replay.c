/* Replays inputs through one fuzz target without libFuzzer: replay-NAME PATH…, files or directories.
 *
 * Each input, and the same cut short, runs in a process of its own with little time, so that one finding does not hide
 * the next. The last line is "N passed, N failed", in files. */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_MAX (4u * 1024 * 1024)
#define SECONDS_MAX 20
#define CUTS 8

struct count {
	unsigned passed, failed;
};

static void run(const uint8_t *data, size_t size)
{
	uint8_t *copy =
		nd_alloc(size ? size : 1); /* exactly as long: a sanitizer sees who reads on */

	if (size)
		memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void child(const char *path)
{
	uint8_t *data = nd_alloc(FILE_MAX);
	FILE *f = fopen(path, "re");
	size_t n;

	if (!f)
		_exit(2);
	n = fread(data, 1, FILE_MAX, f);
	if (ferror(f) || !feof(f))
		_exit(2);
	fclose(f);
	alarm(SECONDS_MAX);
	for (unsigned cut = CUTS; cut > 0; cut--)
		run(data, n * cut / CUTS);
	run(data, 0);
	free(data);
	exit(0);
}

static void replay_file(const char *path, struct count *c)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0)
		child(path);
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		printf("FAIL %s: %s\n", path, strerror(errno));
		c->failed++;
	} else if (WIFSIGNALED(status)) {
		printf("FAIL %s: signal %d, %s\n", path, WTERMSIG(status),
		       strsignal(WTERMSIG(status)));
		c->failed++;
	} else if (WEXITSTATUS(status)) {
		printf("FAIL %s: exit status %d\n", path, WEXITSTATUS(status));
		c->failed++;
	} else {
		c->passed++;
	}
}

static int is_input(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static void replay(const char *path, struct count *c)
{
	struct dirent **names;
	struct stat st;
	char file[4096];
	int n;

	if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode)) {
		replay_file(path, c);
		return;
	}
	n = scandir(path, &names, is_input, alphasort);
	if (n <= 0) {
		printf("FAIL %s: %s\n", path, n < 0 ? strerror(errno) : "no inputs");
		c->failed++;
	}
	for (int i = 0; i < n; i++) {
		snprintf(file, sizeof(file), "%s/%s", path, names[i]->d_name);
		replay_file(file, c);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

int main(int argc, char **argv)
{
	struct count c = {0, 0};

	for (int i = 1; i < argc; i++)
		replay(argv[i], &c);
	printf("%u passed, %u failed\n", c.passed, c.failed);
	return c.failed || !c.passed;
}
