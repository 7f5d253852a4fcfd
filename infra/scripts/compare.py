#!/usr/bin/env python3
"""Compares the processor time of two builds of the local service, request by request.

    cp target/release/local /tmp/saved        (the build to compare with)
    python3 infra/scripts/compare.py /tmp/saved target/release/local [part of a name]

Both run at the same time with the same data, in memory, and get the same requests in turns. Each
row is the new build's processor time divided by the old one's, so that neither the machine nor its
load is in it. It contains what a request causes after its answer: mails, and changes for programs.
Needs Linux (/proc) and Python 3, nothing else.
"""

import http.client
import json
import pathlib
import statistics
import subprocess
import sys
import time

MEMBERS = 300
SUBMISSIONS = 1000
QUESTIONS = 18
# All answers of a submission have together 6 KB.
ANSWER = ("I have wanted to do this since the fair in September, and I learn best by doing. " * 5)[:333]
CLUBS = 5000
# How often each request is made in turns. The median is taken.
TURNS = 7


class Service:
    """A build that runs, and one connection to it."""

    def __init__(self, path):
        self.process = subprocess.Popen(
            [path, "--memory", "--empty", "--port", "0"], stdout=subprocess.PIPE, text=True
        )
        for line in self.process.stdout:
            if line.startswith("listening on "):
                host = line.split("//")[1].strip()
                break
        self.connection = http.client.HTTPConnection(host)
        self.tokens = {}

    def call(self, method, path, body=None, who="root", coding="identity"):
        """Sends a request and returns the answer, if it is a success."""
        headers = {"Accept-Encoding": coding}
        if who:
            headers["Authorization"] = f"Bearer {self.token(who)}"
        if isinstance(body, str):
            headers["Content-Type"] = "text/csv"
        elif body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(body)
        self.connection.request(method, path, body, headers)
        response = self.connection.getresponse()
        answer = response.read()
        if response.status >= 300:
            raise SystemExit(f"{method} {path}: {response.status} {answer[:300]!r}")
        return json.loads(answer) if answer and coding == "identity" else None

    def token(self, who):
        if who not in self.tokens:
            claims = {"username": who, "email": f"{who}@uni.example", "expires_in": 86400}
            if who == "root":
                claims["groups"] = ["clubs-admin"]
            self.connection.request(
                "POST", "/local/token/", json.dumps(claims), {"Content-Type": "application/json"}
            )
            self.tokens[who] = json.loads(self.connection.getresponse().read())["access_token"]
        return self.tokens[who]

    def used(self):
        """The processor time of all threads so far, in milliseconds."""
        tasks = pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks) / 1e6

    def settled(self):
        """The processor time so far, once nothing has been done for longer than the service
        collects changes."""
        while True:
            before = self.used()
            time.sleep(1.3)
            if self.used() - before < 2:
                return before

    def cost(self, request, times):
        """The processor time of one request, in milliseconds."""
        before = self.settled()
        for number in range(times):
            request(self, number)
        return (self.settled() - before) / times


def fill_recruitment(service):
    """A club with members, and an application with submissions. Returns its path and the ids."""
    service.call("POST", "/api/clubs/", {"name": "Bench"})
    application = service.call(
        "POST",
        "/api/clubs/bench/applications/",
        {
            "name": "Fall",
            "is_active": True,
            "application_start_time": "2020-01-01T00:00:00Z",
            "application_end_time": "2099-01-01T00:00:00Z",
            "result_release_time": "2099-01-02T00:00:00Z",
        },
    )
    service.form = f"/api/clubs/bench/applications/{application['id']}/"
    questions = [
        service.call("POST", service.form + "questions/", {"question_type": 1, "prompt": "Why?"})
        for _ in range(QUESTIONS)
    ]
    service.answers = [{"question": q["id"], "text": ANSWER} for q in questions]
    service.ids = [submit(service, f"student{n}") for n in range(SUBMISSIONS)]
    rows = "".join(f"student{n}\n" for n in range(MEMBERS))
    service.call("POST", "/api/clubs/bench/members/import/", "username\n" + rows)


def submit(service, who):
    path = service.form + "submissions/"
    return service.call("POST", path, {"responses": service.answers}, who)["id"]


def decide(service, number):
    path = f"{service.form}submissions/{service.ids[number]}/"
    service.call("PATCH", path, {"status": 2 + service.turn % 2})


def decide_all(service, _):
    body = {"submissions": service.ids, "status": 2 + service.turn % 2}
    service.call("POST", service.form + "submissions/status/", body)


def save_draft(service, number):
    text = f"{service.turn} {number}"
    answer = {"question": service.answers[0]["question"], "text": text, "version": 0}
    who = f"typing{number}x{service.turn}"
    service.call("PATCH", service.form + "draft/", {"responses": [answer]}, who)


def import_again(service, _):
    rows = "".join(f"student{n}\n" for n in range(SUBMISSIONS))
    club = f"import{service.turn}"
    service.call("POST", "/api/clubs/", {"name": club})
    service.call("POST", f"/api/clubs/{club}/members/import/", "username\n" + rows)


def dry_run(service, _):
    body = {"email_type": {"id": "rejection"}, "dry_run": True}
    service.call("POST", service.form + "send_emails/", body)


def get(path, coding="identity", who="root"):
    def request(service, _):
        service.call("GET", path.replace("FORM/", getattr(service, "form", "")), None, who, coding)

    return request


RECRUITMENT = [
    ("300 members", 20, get("/api/clubs/bench/members/")),
    ("10 of 300 members", 20, get("/api/clubs/bench/members/?limit=10")),
    ("100 submissions", 5, get("FORM/submissions/?limit=100")),
    ("1,000 submissions, gzip", 1, get("FORM/submissions/", "gzip")),
    ("50 by score", 2, get("FORM/submissions/?limit=50&ordering=-score")),
    ("home", 20, get("/api/home/")),
    ("status", 20, decide),
    ("1,000 decisions in one call", 1, decide_all),
    ("dry run of 1,000", 2, dry_run),
    ("submit", 20, lambda service, n: submit(service, f"new{n}x{service.turn}")),
    ("submit again", 20, lambda service, n: submit(service, f"new{n}x{service.turn}")),
    ("draft", 20, save_draft),
    ("import of 1,000 known people", 1, import_again),
]


def fill_catalogue(service):
    words = "chess robotics music debate hiking film theatre data games cooking".split()
    for start in range(0, CLUBS, 500):
        rows = "".join(
            f'{words[n % 10]} {n},{words[n % 7]} for all,"<p>{ANSWER * 6}</p>"\n'
            for n in range(start, start + 500)
        )
        service.call("POST", "/api/clubs/import/", "name,subtitle,description\n" + rows)


def edit_and_list(service, number):
    service.call("PATCH", f"/api/clubs/chess-{number + 1}0/", {"subtitle": f"{service.turn}"})
    service.call("GET", "/api/clubs/?limit=25")


CATALOGUE = [
    ("page of 25 of 5,000 clubs", 50, get("/api/clubs/?limit=25")),
    ("page of 25, anonymous", 50, get("/api/clubs/?limit=25", who=None)),
    ("search in 5,000 clubs", 50, get("/api/clubs/?limit=25&search=chess%20all")),
    ("search for what nothing has", 50, get("/api/clubs/?limit=25&search=zeppelin")),
    ("an edit and a page after it", 5, edit_and_list),
]


def compare(paths, only, fill, requests):
    wanted = [request for request in requests if only in request[0]]
    if not wanted:
        return
    services = [Service(path) for path in paths]
    try:
        for service in services:
            fill(service)
        for name, times, request in wanted:
            costs = ([], [])
            for turn in range(TURNS + 1):
                for service, seen in zip(services, costs):
                    service.turn = turn
                    cost = service.cost(request, times)
                    # The first turn only warms up.
                    if turn > 0:
                        seen.append(cost)
            old, new = map(statistics.median, costs)
            print(f"| {name} | {old:.2f} | {new:.2f} | {new / old:.2f} |", flush=True)
    finally:
        for service in services:
            service.process.terminate()


def main():
    if len(sys.argv) not in (3, 4):
        raise SystemExit(__doc__)
    paths, only = sys.argv[1:3], (sys.argv[3:] or [""])[0]
    print("| Request | Old (ms) | New (ms) | New / old |")
    print("|---|---:|---:|---:|")
    compare(paths, only, fill_recruitment, RECRUITMENT)
    compare(paths, only, fill_catalogue, CATALOGUE)


if __name__ == "__main__":
    main()
