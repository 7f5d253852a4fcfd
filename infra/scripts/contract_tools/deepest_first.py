"""Prints a document with the longest paths first, so that an object is deleted after its parts.

python deepest_first.py docs/openapi.json
"""

import json
import sys
from pathlib import Path

document = json.loads(Path(sys.argv[1]).read_text())
document["paths"] = dict(sorted(document["paths"].items(), key=lambda item: -item[0].count("/")))
print(json.dumps(document))
