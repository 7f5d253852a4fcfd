"""Fails if an operation never succeeded in the runs of Schemathesis.

python answered.py docs/openapi.json run.har...

An operation that is only refused is not tested. Deletions run last and on a service of their own.
"""

import json
import re
import sys
from pathlib import Path
from urllib.parse import urlsplit

document = json.loads(Path(sys.argv[1]).read_text())
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
for har in sys.argv[2:]:
    for entry in json.loads(Path(har).read_text())["log"]["entries"]:
        request = entry["request"]
        path = urlsplit(request["url"]).path
        for _, method, template, name in operations:
            if method == request["method"] and template.fullmatch(path):
                seen[name].add(entry["response"]["status"])
                break

never = {name: sorted(all_) for name, all_ in seen.items() if not any(200 <= one < 300 for one in all_)}
for name, answers in never.items():
    print(f"{name} was never done: {answers}")
print(f"{len(seen) - len(never)} of {len(seen)} operations were done")
sys.exit(bool(never))
