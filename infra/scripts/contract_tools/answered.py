"""Fails if an operation never succeeded in the runs of Schemathesis.

python answered.py [--names] docs/openapi.json run.har...

An operation that is only refused is not tested. Deletions run last and on a service of their own.
With `--names` it prints the names of these operations and nothing else, and does not fail.
"""

import json
import re
import sys
from pathlib import Path
from urllib.parse import urlsplit

only_names = sys.argv[1] == "--names"
document_path, *runs = sys.argv[2:] if only_names else sys.argv[1:]
document = json.loads(Path(document_path).read_text())
# A template with fewer variables is more exact: `current/` is no id.
operations = sorted(
    (
        (path.count("{"), method.upper(), re.compile(re.sub(r"{[^}]*}", "[^/]+", path)), operation["operationId"])
        for path, item in document["paths"].items()
        for method, operation in item.items()
    ),
    key=lambda operation: operation[0],
)
seen: dict[str, set[int]] = {name: set() for *_, name in operations}
for har in runs:
    for entry in json.loads(Path(har).read_text())["log"]["entries"]:
        request = entry["request"]
        path = urlsplit(request["url"]).path
        for _, method, template, name in operations:
            if method == request["method"] and template.fullmatch(path):
                seen[name].add(entry["response"]["status"])
                break

never = {name: sorted(all_) for name, all_ in seen.items() if not any(200 <= one < 400 for one in all_)}
if only_names:
    print("\n".join(never))
    sys.exit()
for name, answers in never.items():
    print(f"{name} was never done: {answers}")
print(f"{len(seen) - len(never)} of {len(seen)} operations were done")
sys.exit(bool(never))
