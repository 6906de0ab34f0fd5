/* Interrupts and queues: drivers' names, affinity and what stands in for it, masks, joins. */
#include "tests/unit/parse_text.h"
#include "tests/unit/temp_tree.h"

#include "collectors/irq_name.h"
#include "collectors/run.h"

#include <errno.h>

extern const struct nd_collector nd_collector_host, nd_collector_cpu, nd_collector_irq,
	nd_collector_queue;
static const struct nd_collector *const list[] = {&nd_collector_host, &nd_collector_cpu,
						  &nd_collector_irq, &nd_collector_queue, NULL};
static const struct nd_collector *const c = &nd_collector_irq;

#define PATH "/proc/interrupts"

/* The keys of what a relation gives, separated by blanks; "?" for unknown. */
static void assert_related(const struct world *w, enum nd_kind kind, const char *key,
			   enum nd_relation rel, const char *expected)
{
	nd_id id = nd_entity_find(w->facts, kind, key);
	struct nd_buf b = {0};
	struct nd_links l;

	assert_true(id != ND_NO_ENTITY);
	l = nd_related(w->facts, id, rel, false);
	for (uint32_t i = 0; i < l.n; i++)
		nd_buf_printf(&b, "%s%s", i ? " " : "", nd_entity_key(w->facts, l.ids[i]));
	if (l.why != ND_PRESENT)
		nd_buf_puts(&b, "?");
	assert_string_equal(nd_buf_str(&b), expected);
	nd_buf_free(&b);
}

static void names(void **state)
{
	static const struct {
		const char *name;
		bool ok;
		const char *iface;
		int64_t rx, tx;
		bool marked;
	} rows[] = {
		{"eth0-TxRx-3", true, "eth0", 3, 3, true},
		{"i40e-ens5f0-TxRx-12", true, "ens5f0", 12, 12, true},
		{"ice-enp1s0f0np0-TxRx-0", true, "enp1s0f0np0", 0, 0, true},
		{"ens5-Tx-Rx-7", true, "ens5", 7, 7, true},
		{"ens192-rxtx-1", true, "ens192", 1, 1, true},
		{"eth0-rx-0", true, "eth0", 0, -1, true},
		{"eth0-tx-2", true, "eth0", -1, 2, true},
		{"eth0-tx-0-rx-3", true, "eth0", 3, 0, true},
		{"eth0-Rx4", true, "eth0", 4, -1, true},
		{"eth4-fp-2", true, "eth4", 2, 2, true},
		{"eth0-q2-rx", true, "eth0", 2, -1, true},
		{"eth0-q2-tx", true, "eth0", -1, 2, true},
		{"eth0-q5", true, "eth0", 5, 5, true},
		{"my-lan.5-TxRx-1", true, "my-lan.5", 1, 1, true},
		{"em1-4", true, "em1", 4, 4, false},
		{"eth0", true, "eth0", -1, -1, false},
		{"virtio2-input.1", true, "", 1, -1, false},
		{"virtio2-output.3", true, "", -1, 3, false},
		{"mlx5_comp5@pci:0000:3b:00.0", true, "", 5, 5, false},
		{"virtio3-config", true, "virtio3-config", -1, -1, false},
		{"nvme0q1", true, "nvme0q1", -1, -1, false},
		{"", false, "", -1, -1, false},
		{"a name with blanks", false, "", -1, -1, false},
		{"eth0-TxRx-99999999999", false, "", -1, -1, false},
		{"averyveryverylongname-TxRx-1", false, "", -1, -1, false},
	};
	struct nd_irq_name n;

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		if (nd_irq_name_parse(rows[i].name, &n) != rows[i].ok)
			fail_msg("%s", rows[i].name);
		if (!rows[i].ok)
			continue;
		assert_string_equal(n.iface, rows[i].iface);
		assert_int_equal(n.rx, rows[i].rx);
		assert_int_equal(n.tx, rows[i].tx);
		assert_int_equal(n.marked, rows[i].marked);
	}
}

static void usual_interface_names(void **state)
{
	static const char *const yes[] = {"eth0", "ens5f1", "enp3s0", "eno1",	"enx001122334455",
					  "em1",  "p3p1",   "wlan0",  "wlp2s0", "ib0",
					  "net1"};
	static const char *const no[] = {
		"timer", "rtc0",     "ahci",	       "nvme0q1", "ttyS0", "acpi",    "xhci_hcd",
		"i8042", "ACPI:Ged", "virtio3-config", "",	  "end",   "ethernet"};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(yes); i++) {
		if (!nd_iface_name_usual(yes[i]))
			fail_msg("%s", yes[i]);
	}
	for (size_t i = 0; i < ND_ARRAY_LEN(no); i++) {
		if (nd_iface_name_usual(no[i]))
			fail_msg("%s", no[i]);
	}
}

static void lines(void **state)
{
	static const struct {
		const char *line, *name; /* NULL: absent */
	} rows[] = {
		{"  1 0 PCI-MSI-edge      eth0-rx-0", "eth0-rx-0"},
		{"  1 0 PCI-MSI 5767169-edge      ens192-rxtx-1", "ens192-rxtx-1"},
		{"  1 0 PCI-MSIX-0000:00:03.0   1-edge      virtio2-input.0", "virtio2-input.0"},
		{"  1 0 IO-APIC   9-fasteoi   acpi, eth1", "acpi, eth1"},
		{"  1 0 GICv3  27 Level     arch_timer", "arch_timer"},
		{"  1 0 XT-PIC-XT-PIC    timer", "timer"},
		{"  1 0 PCI-MSI 5-edge", NULL},
		{"  1 0", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct nd_buf b = {0};
		struct world w;

		world_open(&w, list);
		nd_buf_printf(&b, "  CPU0 CPU1\n 7: %s\nNMI: 1 2 x\nERR: 0\n", rows[i].line);
		assert_int_equal(feed(&w, c, PATH, 0, nd_buf_str(&b)), 0);
		assert_int_equal(count(&w, ND_IRQ), 1);
		assert_number(&w, ND_IRQ, "7", "handled", ND_TOTAL, 1);
		if (rows[i].name)
			assert_text(&w, ND_IRQ, "7", "name", rows[i].name);
		else
			assert_int_equal(value(&w, ND_IRQ, "7", "name", ND_BARE).type, ND_V_ABSENT);
		nd_buf_free(&b);
		world_close(&w);
	}
}

static void bad_files(void **state)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
		{"", "expected a header of CPU names, found 'none'"},
		{"CPU0\nNMI: 1\n", "expected numbered interrupts, found 'none'"},
		{"CPU0 CPU1\n 7: 1\n", ":2: expected one number for each CPU, found 'too few'"},
		{"CPU0 CPU1\n 7: 1 eth0\n", ":2: expected one number for each CPU, found 'eth0'"},
		{"CPU0\n 7: 4294967296 x\n",
		 ":2: expected one number for each CPU, found '4294967296'"},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct world w;

		world_open(&w, list);
		assert_int_equal(feed(&w, c, PATH, 0, rows[i].text), -EINVAL);
		assert_non_null(strstr(w.err.msg, rows[i].error));
		assert_int_equal(count(&w, ND_IRQ), 0);
		world_close(&w);
	}
}

/* One CPU's count wrapped: the sum lost 2^32. */
static void sums_wrap_at_32_bits(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	feed(&w, c, PATH, 0, "CPU0 CPU1\n7: 4294967295 4294967290 x\n");
	feed(&w, c, PATH, 1, "CPU0 CPU1\n7: 4 4294967295 x\n");
	assert_number(&w, ND_IRQ, "7", "handled", ND_DELTA, 10);
	world_close(&w);
}

static void affinity(void **state)
{
	static const struct {
		const char *effective, *allowed, *cpus; /* NULL: no such file */
	} rows[] = {
		{"1\n", "0-1\n", "1"},
		{NULL, "0-1\n", "0 1"},
		{"\n", "0\n", "0"}, /* not activated */
		{NULL, "0-63\n", "0 1"}, /* CPUs that are not there */
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct world w;

		world_open(&w, list);
		feed(&w, &nd_collector_cpu, "/proc/stat", 0, "cpu0 1 2 3 4\ncpu1 1 2 3 4\n");
		feed(&w, c, PATH, 0, "CPU0 CPU1\n7: 100000 0 PCI-MSI-edge eth0\n");
		if (rows[i].effective)
			assert_int_equal(feed_arg(&w, c, "/proc/irq/7/effective_affinity_list", "7",
						  0, rows[i].effective),
					 0);
		assert_int_equal(
			feed_arg(&w, c, "/proc/irq/7/smp_affinity_list", "7", 0, rows[i].allowed),
			0);
		c->finish(w.facts);
		assert_related(&w, ND_IRQ, "7", ND_IRQ_CPUS, rows[i].cpus);
		/* allocated, but without interrupts */
		assert_int_equal(feed_arg(&w, c, "/proc/irq/8/smp_affinity_list", "8", 0, "0\n"),
				 0);
		assert_int_equal(count(&w, ND_IRQ), 1);
		assert_int_equal(feed_arg(&w, c, "/proc/irq/7/smp_affinity_list", "7", 0, "0-\n"),
				 -EINVAL);
		world_close(&w);
	}
}

static void cpus_by_what_happened(void **state)
{
	static const struct {
		const char *first, *last; /* counts of CPU 0, 1 and 2 */
		const char *cpus;
	} rows[] = {
		{"5000 0 0", NULL, "0"},
		{"900 0 0", NULL, "?"}, /* too few */
		{"1001 0 0", NULL, "0"}, /* just enough */
		{"1000 0 0", NULL, "?"},
		{"50000 50000 10", NULL, "0 1"}, /* less than 1 % does not count */
		{"990000 10000 0", NULL, "0 1"},
		{"990100 9900 0", NULL, "0"},
		{"900000 0 0", "900000 2000 0", "1"}, /* moved before the window: now counts */
		{"900000 0 0", "900000 500 0", "?"},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		char text[128];
		struct world w;

		world_open(&w, list);
		snprintf(text, sizeof(text), "CPU0 CPU1 CPU2\n7: %s PCI-MSI-edge eth0\n",
			 rows[i].first);
		feed(&w, c, PATH, 0, text);
		if (rows[i].last) {
			snprintf(text, sizeof(text), "CPU0 CPU1 CPU2\n7: %s PCI-MSI-edge eth0\n",
				 rows[i].last);
			feed(&w, c, PATH, 10, text);
		}
		c->finish(w.facts);
		assert_related(&w, ND_IRQ, "7", ND_IRQ_CPUS, rows[i].cpus);
		world_close(&w);
	}
}

static void recorded_names_give_interfaces_and_queues(void **state)
{
	static const char text[] =
		"CPU0\n 1: 1 XT-PIC timer\n 2: 1 PCI-MSI-edge eth0-TxRx-3\n"
		" 3: 1 PCI-MSI-edge virtio0-input.0\n 4: 1 IO-APIC 5-edge uhci_hcd, eth1\n"
		" 5: 1 PCI-MSI-edge storage0\n 6: 1 PCI-MSI-edge eth0-tx-0-rx-1\n";
	struct world w;

	(void)state;
	world_open(&w, list);
	feed(&w, c, PATH, 0, text);
	nd_entity(w.facts, ND_IFACE, "storage0"); /* somebody else has seen it */
	c->finish(w.facts);
	nd_collector_queue.finish(w.facts);
	assert_related(&w, ND_IRQ, "1", ND_IRQ_IFACE, "?");
	assert_related(&w, ND_IRQ, "2", ND_IRQ_IFACE, "eth0");
	assert_related(&w, ND_IRQ, "3", ND_IRQ_IFACE, "?");
	assert_related(&w, ND_IRQ, "4", ND_IRQ_IFACE, "eth1");
	assert_related(&w, ND_IRQ, "5", ND_IRQ_IFACE, "storage0");
	assert_int_equal(count(&w, ND_IFACE), 3);
	assert_int_equal(count(&w, ND_QUEUE), 4);
	assert_text(&w, ND_QUEUE, "eth0/rx-3", "name", "rx-3");
	assert_text(&w, ND_QUEUE, "eth0/tx-3", "direction", "tx");
	assert_related(&w, ND_QUEUE, "eth0/rx-3", ND_QUEUE_IRQ, "2");
	assert_related(&w, ND_QUEUE, "eth0/rx-1", ND_QUEUE_IRQ, "6");
	assert_related(&w, ND_QUEUE, "eth0/tx-0", ND_QUEUE_IFACE, "eth0");
	assert_missing(&w, ND_QUEUE, "eth0/rx-3", "rps_mask", ND_BARE, ND_NOT_SAMPLED);
	world_close(&w);
}

static void masks(void **state)
{
	static const struct {
		const char *text;
		int rc;
		const char *mask, *cpus;
	} rows[] = {
		{"00000000,00000000\n", 0, "00000000,00000000", ""},
		{"00000002,00000001\n", 0, "00000002,00000001", "0 33"},
		{"zz\n", -EINVAL, NULL, NULL},
		{"\n", -EINVAL, NULL, NULL},
	};
	static const struct nd_collector *const q = &nd_collector_queue;
	struct world w;

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		world_open(&w, list);
		assert_int_equal(feed_arg(&w, q, "sys/x", "eth0/3", 0, rows[i].text), rows[i].rc);
		if (rows[i].mask) {
			assert_text(&w, ND_QUEUE, "eth0/rx-3", "rps_mask", rows[i].mask);
			assert_related(&w, ND_QUEUE, "eth0/rx-3", ND_QUEUE_RPS_CPUS, rows[i].cpus);
		}
		world_close(&w);
	}
	world_open(&w, list);
	assert_int_equal(feed_arg(&w, q, "rps_cpus", NULL, 0, "0\n"), -EINVAL);
	assert_int_equal(feed_arg(&w, q, "rps_cpus", "eth0/x", 0, "0\n"), -EINVAL);
	assert_int_equal(feed_arg(&w, q, "rps_cpus", "averyveryverylongname/1", 0, "0\n"), -EINVAL);
	assert_int_equal(count(&w, ND_QUEUE), 0);
	world_close(&w);
}

static void make_host(const struct temp_tree *t)
{
	tree_file(t, "proc/stat", "cpu0 1 2 3 4\ncpu1 1 2 3 4\n");
	tree_file(t, "proc/interrupts",
		  "CPU0 CPU1\n 10: 0 5 PCI-MSIX 0-edge virtio1-config\n"
		  " 11: 7 0 PCI-MSIX 1-edge virtio1-input.0\n"
		  " 12: 0 8 PCI-MSIX 2-edge virtio1-output.0\n"
		  " 20: 1 1 PCI-MSI-edge mlx5_comp1@pci:0000:3b:00.0\n"
		  " 30: 1 1 IO-APIC 3-edge rtc0\n 40: 9 9 IO-APIC 4-edge ahci, eth2\n");
	tree_file(t, "proc/irq/11/effective_affinity_list", "1\n");
	tree_file(t, "proc/irq/11/smp_affinity_list", "0-1\n");
	tree_file(t, "sys/devices/pci/virtio1/x", "");
	for (int i = 10; i <= 12; i++) {
		char path[64];

		snprintf(path, sizeof(path), "sys/devices/pci/msi_irqs/%d", i);
		tree_file(t, path, "msix\n");
	}
	tree_file(t, "sys/devices/pci2/msi_irqs/20", "msix\n");
	tree_file(t, "sys/devices/pci3/irq", "40\n");
	tree_link(t, "sys/class/net/eth0/device", "../../../devices/pci/virtio1");
	tree_link(t, "sys/class/net/eth1/device", "../../../devices/pci2");
	tree_link(t, "sys/class/net/eth2/device", "../../../devices/pci3");
	tree_file(t, "sys/class/net/eth0/queues/rx-0/rps_cpus", "2\n");
	tree_file(t, "sys/class/net/eth0/queues/tx-0/traffic_class", "\n"); /* no xps_cpus */
	tree_file(t, "sys/class/net/eth1/queues/rx-1/rps_cpus", "0\n");
	tree_file(t, "sys/class/net/eth1/queues/tx-1/xps_cpus", "1\n");
	tree_file(t, "sys/class/net/eth1/queues/rx-9/rps_cpus", "0\n");
	tree_file(t, "sys/class/net/lo/queues/rx-0/rps_cpus", "0\n");
	tree_file(t, "sys/kernel/debug/irq/irqs/20",
		  "handler: x\ndstate: 0x1\n   IRQD_AFFINITY_MANAGED\n");
	tree_file(t, "sys/kernel/debug/irq/irqs/11", "handler: x\ndstate: 0x1\n");
}

static void joins_of_a_live_host(void **state)
{
	struct nd_collect opt = {.window = 0};
	struct nd_source *s;
	struct temp_tree t;
	char proc[80], sys[80];
	struct world w;

	(void)state;
	tree_make(&t);
	make_host(&t);
	snprintf(proc, sizeof(proc), "%s/proc", t.root);
	snprintf(sys, sizeof(sys), "%s/sys", t.root);
	s = nd_source_live(proc, sys);
	world_open(&w, list);
	assert_true(nd_collect_list(list, 4, s, w.facts, &opt, &w.err) > 0);
	assert_related(&w, ND_IRQ, "10", ND_IRQ_IFACE, "eth0");
	assert_related(&w, ND_IRQ, "11", ND_IRQ_IFACE, "eth0");
	assert_related(&w, ND_IRQ, "11", ND_IRQ_CPUS, "1");
	assert_related(&w, ND_IRQ, "20", ND_IRQ_IFACE, "eth1");
	assert_related(&w, ND_IRQ, "30", ND_IRQ_IFACE, ""); /* known: of none */
	assert_related(&w, ND_IRQ, "40", ND_IRQ_IFACE, "eth2");
	assert_related(&w, ND_QUEUE, "eth0/rx-0", ND_QUEUE_IRQ, "11");
	assert_related(&w, ND_QUEUE, "eth0/rx-0", ND_QUEUE_RPS_CPUS, "1");
	assert_related(&w, ND_QUEUE, "eth0/tx-0", ND_QUEUE_IRQ, "12");
	assert_related(&w, ND_QUEUE, "eth1/rx-1", ND_QUEUE_IRQ, "20");
	assert_related(&w, ND_QUEUE, "eth1/rx-1", ND_QUEUE_RPS_CPUS, "");
	assert_related(&w, ND_QUEUE, "eth1/tx-1", ND_QUEUE_IRQ, "20");
	assert_related(&w, ND_QUEUE, "eth1/rx-9", ND_QUEUE_IRQ, "?");
	assert_related(&w, ND_QUEUE, "lo/rx-0", ND_QUEUE_IRQ, "");
	assert_text(&w, ND_QUEUE, "eth1/tx-1", "xps_mask", "1");
	assert_int_equal(value(&w, ND_QUEUE, "eth0/tx-0", "xps_mask", ND_BARE).type, ND_V_ABSENT);
	assert_true(value(&w, ND_IRQ, "20", "managed", ND_BARE).yes);
	assert_int_equal(value(&w, ND_IRQ, "11", "managed", ND_BARE).type, ND_V_BOOL);
	assert_false(value(&w, ND_IRQ, "11", "managed", ND_BARE).yes);
	assert_missing(&w, ND_IRQ, "30", "managed", ND_BARE, ND_NOT_ON_THIS_KERNEL);
	assert_int_equal(count(&w, ND_QUEUE), 6);
	world_close(&w);
	nd_source_free(s);
	tree_remove(&t);
}

static void survives_anything(void **state)
{
	(void)state;
	torture(list, c, PATH, NULL,
		" CPU0 CPU1\n 7: 5000 2 PCI-MSI 1-edge eth0-TxRx-1, i40e-eth1\n 8: 1 2\n");
	torture(list, &nd_collector_queue, "x", "eth0/1", "f,00000001\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(usual_interface_names),
		cmocka_unit_test(lines),
		cmocka_unit_test(bad_files),
		cmocka_unit_test(sums_wrap_at_32_bits),
		cmocka_unit_test(affinity),
		cmocka_unit_test(cpus_by_what_happened),
		cmocka_unit_test(recorded_names_give_interfaces_and_queues),
		cmocka_unit_test(masks),
		cmocka_unit_test(joins_of_a_live_host),
		cmocka_unit_test(survives_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
