"""Writes a PCP archive of a large host, for pmie: archive.py PATH CPUS INTERFACES.

Seven samples, ten seconds apart; CPU 22 drops a hundredth of its packets, interface eth3 a fiftieth.
The metrics are those of PCP's Linux agent; the numbers are like those of world.c.
"""

import sys

import cpmapi
from pcp import pmi

SAMPLES = 7
SECONDS = 10
LINUX = 60  # the agent's domain
NICS = 32


def main(path, cpus, ifaces):
    log = pmi.pmiLogImport(path)
    log.pmiSetHostname("bench")
    log.pmiSetTimezone("UTC")
    units = log.pmiUnits(0, 0, 1, 0, 0, cpmapi.PM_COUNT_ONE)
    by_cpu, by_iface = log.pmiInDom(LINUX, 0), log.pmiInDom(LINUX, 3)
    softnet = ("processed", "dropped", "time_squeeze")
    incoming = ("packets", "drops", "fifo")
    counter = (cpmapi.PM_TYPE_U64, cpmapi.PM_SEM_COUNTER)
    for i, name in enumerate(softnet):
        log.pmiAddMetric(
            "network.softnet.percpu." + name, log.pmiID(LINUX, 57, i), counter[0], by_cpu, counter[1], units
        )
    for i, name in enumerate(incoming):
        log.pmiAddMetric(
            "network.interface.in." + name, log.pmiID(LINUX, 3, i), counter[0], by_iface, counter[1], units
        )
    cpu_names = ["cpu%d" % i for i in range(cpus)]
    iface_names = [("eth%d" if i < NICS else "veth%d") % i for i in range(ifaces)]
    for i, name in enumerate(cpu_names):
        log.pmiAddInstance(by_cpu, name, i)
    for i, name in enumerate(iface_names):
        log.pmiAddInstance(by_iface, name, i)

    def put(prefix, names, instance, values):
        for name, value in zip(names, values):
            log.pmiPutValue(prefix + name, instance, str(1000000 + value))

    for k in range(SAMPLES):
        seconds = k * SECONDS
        for i, name in enumerate(cpu_names):
            fault = i == 22
            packets = seconds * (2000000 if fault else 20000 if i < cpus // 2 else 50)
            put("network.softnet.percpu.", softnet, name, (packets, packets // 100 if fault else 0, 0))
        for i, name in enumerate(iface_names):
            packets = seconds * (85000 if i < NICS else 15000 if i % 20 == 0 else 100)
            put("network.interface.in.", incoming, name, (packets, 0, packets // 50 if i == 3 else 0))
        log.pmiWrite(1700000000 + seconds, 0)
    log.pmiEnd()


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
