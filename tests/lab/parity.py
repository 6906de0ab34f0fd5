"""Compares the facts of tools' text with those of two live dumps before and after it: parity.py FIRST TEXT SECOND.

Prints each fact that differs, then "N facts agree, N differ"; the status is 1 if one differs, or if few agree."""
import json
import sys

# Each of these must have been read, and must agree in something.
TOOLS = ("conntrack-S", "ethtool", "ip-", "nstat", "ss-l", "ss-t", "ss-u", "sysctl", "tc-")
# What ethtool says of a virtual interface: live it is only asked of cards.
VIRTUAL = {"driver", "channels", "hw.map", "autoneg", "duplex", "link_detected", "port"}
# Of the whole host: other programs move it between the readings.
RESTLESS = {"files.open", "sysctl.fs.file-nr"}
# Not measurements of the host: what the run says of itself.
OWN = {"window", "span", "uptime", "samples"}
LEAST = 150  # facts in both; fewer means that something was not read


def facts(path):
    with open(path, encoding="utf-8") as f:
        return {(x["entity"], x["fact"]): x for x in json.load(f) if "value" in x}


def between(low, value, high):
    """A counter or a gauge that moved meanwhile; text rounds to three digits at worst."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        slack = 0.006 * max(abs(low), abs(high))
        return min(low, high) - slack <= value <= max(low, high) + slack
    return value in (low, high)


def main():
    first, text, second = (facts(path) for path in sys.argv[1:4])
    agree = differ = 0
    sources = {}
    for key, fact in sorted(text.items()):
        entity, name = key
        accessor = name.rsplit(".", 1)[-1]
        if accessor in {"delta", "rate", "peak", "change", "first", "min", "mean", "max", "seen"} | OWN:
            continue
        if key not in first or key not in second:
            if key not in first and key not in second and name not in VIRTUAL and not name.startswith("offload."):
                differ += 1
                print("only in text:", entity, name, fact["value"], "from", fact["source"])
            continue
        if name in RESTLESS:
            continue
        if between(first[key]["value"], fact["value"], second[key]["value"]):
            agree += 1
            sources[fact["source"]] = sources.get(fact["source"], 0) + 1
        else:
            differ += 1
            print("differs:", entity, name, "live", first[key]["value"], second[key]["value"], "text", fact["value"],
                  "from", fact["source"], "and", first[key]["source"])
    for source, n in sorted(sources.items()):
        print("agree:", n, "from", source)
    for tool in TOOLS:
        if not any(source.startswith(tool) for source in sources):
            differ += 1
            print("nothing agrees from", tool)
    print(f"{agree} facts agree, {differ} differ")
    sys.exit(differ > 0 or agree < LEAST)


main()
