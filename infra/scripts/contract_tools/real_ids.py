"""Adds the ids of the demo campus to the settings of Schemathesis.

python real_ids.py docs/openapi.json schemathesis.toml

Without them nearly every request would be for an object that does not exist. Deletions keep the
made-up ids, so that the objects stay for the other operations.
"""

import json
import sys
from pathlib import Path

document = json.loads(Path(sys.argv[1]).read_text())
print(Path(sys.argv[2]).read_text())
for item in document["paths"].values():
    for method, operation in item.items():
        values = {
            parameter["name"]: parameter["example"]
            for parameter in operation.get("parameters", [])
            if parameter.get("in") == "path" and "example" in parameter
        }
        if values and method != "delete":
            print("[[operations]]")
            print(f'include-operation-id = "{operation["operationId"]}"')
            print("[operations.parameters]")
            for name, value in values.items():
                print(f'"path.{name}" = {json.dumps(value)}')
            print()
