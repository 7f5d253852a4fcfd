"""Runs clients/python/nightly_export.py night after night against a local service, while people
submit, decide and withdraw. What it keeps must be what a first run reads:

python nightly.py http://127.0.0.1:8000 OFFICER_TOKEN clients/python/nightly_export.py
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

import httpx

ORIGIN, OFFICER, SCRIPT = sys.argv[1:4]


def client(token: str) -> httpx.Client:
    return httpx.Client(base_url=ORIGIN, headers={"Authorization": f"Bearer {token}"}, timeout=30)


def person(name: str) -> httpx.Client:
    body = {"username": name, "name": f"{name} Night", "email": f"{name}@uni.example"}
    return client(httpx.post(f"{ORIGIN}/local/token/", json=body).json()["access_token"])


def done(answer: httpx.Response) -> dict:
    assert answer.is_success, answer.text
    return answer.json() if answer.content else {}


officer = client(OFFICER)
club = f"night-{time.time_ns() // 1_000_000:x}"
code = done(officer.post("/api/clubs/", json={"name": club}))["code"]
form = {
    "name": "Night",
    "is_active": True,
    "application_start_time": "2020-01-01T00:00:00Z",
    "application_end_time": "2040-01-01T00:00:00Z",
    "result_release_time": "2040-01-02T00:00:00Z",
}
base = f"/api/clubs/{code}/applications/"
base += f"{done(officer.post(base, json=form))['id']}/"
ask = {"name": "Export", "scopes": ["recruitment:read"], "club": code}
token = done(officer.post("/api/settings/tokens/", json=ask))["token"]


def changes() -> str:
    query = {"limit": 200}
    return client(token).get(f"/api/clubs/{code}/changes/", params=query).text


def settle(part: str) -> None:
    """Waits until a change is in the list: at most a minute."""
    for _ in range(60):
        if part in changes():
            return
        time.sleep(1)
    raise SystemExit(f"{part} is not among the changes after a minute: {changes()}")


def export(folder: pathlib.Path) -> str:
    environment = {**os.environ, "CLUBS_TOKEN": token}
    command = [sys.executable, SCRIPT, ORIGIN, code, str(folder)]
    print(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout, end="")
    return (folder / "submissions.csv").read_text()


with tempfile.TemporaryDirectory() as work:
    night = pathlib.Path(work) / "night"
    people = [person(f"night{n}") for n in range(6)]
    sent = [done(one.post(f"{base}submissions/", json={"responses": []}))["id"] for one in people[:4]]
    settle(f'"id":{sent[3]}')
    assert export(night).count("\n") == 5
    done(officer.patch(f"{base}submissions/{sent[0]}/", json={"status": 4, "reason": "Welcome"}))
    done(people[1].delete(f"/api/submissions/{sent[1]}/"))
    late = [done(one.post(f"{base}submissions/", json={"responses": []}))["id"] for one in people[4:]]
    settle(f'"id":{late[1]}')
    kept = export(night)
    assert kept == export(pathlib.Path(work) / "fresh"), kept
    assert "Welcome" in kept and str(sent[1]) not in kept
    assert export(night) == kept
