#!/bin/sh
# Every golden JSON report must follow docs/report.schema.json, and the schema must itself be one.
# Also used on reports given as arguments. Skipped (77) without python3-jsonschema.
set -eu
cd "$(dirname "$0")/.."
python3 -c 'import jsonschema' 2>/dev/null || { echo "python3-jsonschema is absent"; exit 77; }
[ $# -gt 0 ] || set -- tests/golden/*.json
[ -e "$1" ] || { echo "no reports in tests/golden"; exit 1; }
exec python3 - "$@" <<'PY'
import json
import sys

import jsonschema

with open("docs/report.schema.json", encoding="utf-8") as f:
    schema = json.load(f)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)


def keys_once(pairs):
    if len({k for k, _ in pairs}) != len(pairs):
        raise ValueError("a key is there twice: %s" % [k for k, _ in pairs])
    return dict(pairs)


bad = 0
for path in sys.argv[1:]:
    if path.endswith(".facts.json"):
        continue
    with open(path, encoding="utf-8") as f:
        report = json.load(f, object_pairs_hook=keys_once)
    for error in validator.iter_errors(report):
        bad += 1
        print("%s: /%s: %s" % (path, "/".join(map(str, error.absolute_path)), error.message))
sys.exit(1 if bad else 0)
PY
