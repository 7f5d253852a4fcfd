"""Keeps a CSV file of the submissions of a club, without reading all of them every night:

python nightly_export.py http://127.0.0.1:8000 robotics folder

The token is in the environment variable CLUBS_TOKEN. It needs the scope recruitment:read. The first
run reads everything; later ones read what changed since the last one. A run that dies is repeated
by the next one: the state is stored after the submissions that it speaks of.
"""

import csv
import json
import os
import pathlib
import sys
from typing import Any

import httpx

COLUMNS = [
    "id",
    "application",
    "name",
    "email",
    "committee",
    "status",
    "reason",
    "revision",
    "created_at",
    "updated_at",
]
GONE = (403, 404)


class Export:
    """The submissions of one club, as they were when the cursor was read."""

    def __init__(self, api: httpx.Client, club: str, folder: pathlib.Path) -> None:
        self.api, self.club, self.folder = api, club, folder
        self.cursor: str | None = None
        self.rows: dict[str, dict[str, Any]] = {}
        self.state = folder / "state.json"
        if self.state.exists():
            kept = json.loads(self.state.read_text())
            self.cursor, self.rows = kept["cursor"], kept["rows"]

    def get(self, path: str, **query: Any) -> httpx.Response:
        """Reads an object. The errors that the caller expects come back, all others are raised."""
        answer = self.api.get(path, params=query or None)
        if answer.status_code not in (410, *GONE):
            answer.raise_for_status()
        return answer

    def changes(self, cursor: str | None) -> tuple[list[dict[str, Any]], str] | None:
        """The changes after a cursor up to the end, and the next cursor. None if it has expired."""
        found: list[dict[str, Any]] = []
        while True:
            query: dict[str, Any] = {"limit": 200}
            if cursor:
                query["since"] = cursor
            answer = self.get(f"/api/clubs/{self.club}/changes/", **query)
            if answer.status_code == 410:
                return None
            answer.raise_for_status()
            page = answer.json()
            found += page["results"]
            # Nothing more was read.
            if page["next"] == cursor:
                return found, page["next"]
            cursor = page["next"]

    def row(self, submission: dict[str, Any]) -> None:
        """Keeps a submission as a row of the file."""
        user = submission["user"] or {}
        committee = submission["committee"] or {}
        row = {name: submission.get(name) for name in COLUMNS}
        row |= {
            "name": user.get("name"),
            "email": user.get("email"),
            "committee": committee.get("name"),
        }
        self.rows[str(submission["id"])] = row

    def everything(self) -> None:
        """Reads all submissions. The cursor is read before them, so no change is missed."""
        read = self.changes(None)
        assert read, "without a cursor, none can have expired"
        self.cursor, self.rows = read[1], {}
        for application in self.get(f"/api/clubs/{self.club}/applications/").json():
            base = f"/api/clubs/{self.club}/applications/{application['id']}"
            path: str | None = f"{base}/submissions/?limit=100"
            while path:
                answer = self.api.get(path)
                answer.raise_for_status()
                for submission in answer.json():
                    self.row(submission)
                path = answer.links.get("next", {}).get("url")

    def run(self) -> int:
        """Brings the rows up to date and returns how many objects were read for it."""
        read = self.changes(self.cursor) if self.cursor else None
        if read is None:
            self.everything()
            return len(self.rows)
        changes, self.cursor = read
        # Each object once, as it is now.
        changed = {one["object"]["id"]: one["object"] for one in changes if one["object"]["type"] == "submission"}
        for thing in changed.values():
            answer = self.get(thing["url"])
            if answer.status_code in GONE:
                self.rows.pop(str(thing["id"]), None)
            else:
                self.row(answer.json())
        return len(changed)

    def store(self) -> None:
        """Writes the file, and then the state. Both replace the old one at once."""
        self.folder.mkdir(parents=True, exist_ok=True)
        target = self.folder / "submissions.csv"
        with (self.folder / "submissions.new").open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(self.rows[key] for key in sorted(self.rows, key=int))
        pathlib.Path(file.name).replace(target)
        kept = self.folder / "state.new"
        kept.write_text(json.dumps({"cursor": self.cursor, "rows": self.rows}))
        kept.replace(self.state)


def main() -> None:
    """Runs once."""
    origin, club, folder = sys.argv[1:4]
    headers = {"Authorization": f"Bearer {os.environ['CLUBS_TOKEN']}"}
    with httpx.Client(base_url=origin, headers=headers, timeout=30) as api:
        export = Export(api, club, pathlib.Path(folder))
        read = export.run()
        export.store()
        print(f"{len(export.rows)} submissions, {read} of them read")


if __name__ == "__main__":
    main()
