/* Open files and their limits: /proc/PID/limits in its places, lsof in its releases, and logs of programs. */
#include "collectors/files.h"
#include "collectors/process.h"
#include "collectors/tcp_states.h"
#include "tests/unit/counter_input.h"

extern const struct nd_collector nd_collector_files, nd_collector_app_log;

#define LIMITS                                                                                     \
	"Limit                     Soft Limit           Hard Limit           Units     \n"         \
	"Max cpu time              unlimited            unlimited            seconds   \n"         \
	"Max open files            1024                 524288               files     \n"

static struct nd_value of(const struct store *s, const char *pid, const char *fact)
{
	const nd_id id = nd_entity_find(s->f, ND_PROCESS, pid);

	if (id == ND_NO_ENTITY)
		fail_msg("no process:%s", pid);
	return nd_get(s->f, id, nd_registry_find(s->r, ND_PROCESS, fact), ND_BARE);
}

static struct store new_store(void)
{
	struct store s = store_new(nd_files_facts, nd_process_facts);

	nd_facts_free(s.f);
	nd_registry_add(s.r, nd_tcp_state_facts);
	s.f = nd_facts_new(s.r);
	return s;
}

static void test_limits(void **state)
{
	static const struct {
		const char *path, *pid; /* NULL: whose it is cannot be told */
	} rows[] = {
		{"proc/812/limits", "812"},
		{"limits-812.txt", "812"},
		{"x.txt:3/proc/812/limits", "812"},
		{"limits_812", "812"},
		{"limits", NULL},
		{"limits.txt", NULL},
		{"limits-99999999999999999999", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = new_store();
		uint32_t n;

		assert_int_equal(feed_text(&s, &nd_collector_files, rows[i].path, LIMITS), 0);
		nd_entities(s.f, ND_PROCESS, &n);
		assert_int_equal(n, rows[i].pid ? 1 : 0);
		if (rows[i].pid) {
			assert_true(of(&s, rows[i].pid, "files.limit").num == 1024);
			assert_true(of(&s, rows[i].pid, "files.hard").num == 524288);
			assert_int_equal(of(&s, rows[i].pid, "files.open").type, ND_V_MISSING);
		}
		store_free(&s);
	}
}

/* The one process that another output names is whose limits are shown without a name. */
static void test_lsof(void **state)
{
	static const char text[] =
		"COMMAND    PID  TID USER   FD      TYPE             DEVICE SIZE/OFF     NODE NAME\n"
		"nginx      812      root  cwd       DIR              254,1     4096        2 /\n"
		"nginx      812      root  mem       REG              254,1   149704   131133 /usr/lib/x\n"
		"nginx      812      root    0u      CHR                1,3      0t0        5 /dev/null\n"
		"nginx      812      root    6u     IPv4              20000      0t0      TCP *:80 (LISTEN)\n"
		"nginx      812      root    8u     IPv4              20001      0t0      TCP 10.0.0.1:80->10.0.0.9:4711 (CLOSE_WAIT)\n"
		"nginx      812  815 root    7w      REG              254,1      100   131133 /var/log/x\n"
		"nginx      812      root  DEL       REG              254,1            131133 /x\n"
		"broken\nbroken x root 5u\n";
	struct store s = new_store();

	(void)state;
	assert_int_equal(feed_text(&s, &nd_collector_files, "lsof", text), 0);
	assert_true(of(&s, "812", "files.open").num == 4);
	expect_num(&s, "tcp.states.close_wait", 1);
	expect_missing(&s, "tcp.states.established", ND_NOT_SAMPLED);
	assert_string_equal(of(&s, "812", "comm").text, "nginx");
	assert_int_equal(feed_text(&s, &nd_collector_files, "limits",
				   "Max open files  unlimited  unlimited files\n"),
			 0);
	assert_int_equal(of(&s, "812", "files.limit").type, ND_V_ABSENT);
	store_free(&s);
}

static void test_bad(void **state)
{
	static const char *const texts[] = {
		"",
		"Max open files\n",
		"Max open files x y\n",
		"COMMAND PID USER FD\n\n \n",
		"Max open files            -1   99999999999999999999999\n",
		"nginx 812 root 6u IPv4\n",
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(texts); i++) {
		struct store s = new_store();

		assert_int_equal(feed_text(&s, &nd_collector_files, "proc/7/limits", texts[i]), 0);
		assert_int_equal(of(&s, "7", "files.limit").type, ND_V_MISSING);
		store_free(&s);
	}
}

static void test_log(void **state)
{
	static const char text[] =
		"2015/08/10 [crit] 1#0: *1 connect() to 127.0.0.1:9000 failed (99: Cannot assign requested address)\n"
		"dial tcp 10.0.0.1:443: connect: cannot assign requested address\r\n"
		"nginx: [emerg] bind() to 10.0.0.5:80 failed (99: Cannot assign requested address)\n"
		"Error: connect EADDRNOTAVAIL 10.0.0.1:443 - Local (0.0.0.0:0)\n"
		"Connect() failed for backend x: no free ports.\n"
		"accept4() failed (24: Too many open files)\n"
		"accept tcp [::]:80: accept4: too many open files; retrying in 5ms\n"
		"java.net.SocketException: Too many open files in system\n"
		"connection refused\n";
	struct store s = store_new(nd_collector_app_log.facts, NULL);

	(void)state;
	assert_int_equal(feed_text(&s, &nd_collector_app_log, "error.log", text), 0);
	expect_num(&s, "app_errors.no_port", 4);
	expect_num(&s, "app_errors.no_file", 2);
	expect_num(&s, "app_errors.no_file_host", 1);
	assert_int_equal(ask(&s, "app_errors.no_file", ND_SEEN).basis, ND_B_LIFETIME);
	store_free(&s);
	s = store_new(nd_collector_app_log.facts, NULL);
	assert_int_equal(feed_text(&s, &nd_collector_app_log, "error.log", "GET / 200\n\xff\x01\n"),
			 0);
	expect_missing(&s, "app_errors.no_file", ND_NOT_SAMPLED);
	store_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_lsof),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
