"""Lets somebody get a reminder, and prints the token of the link that ends such mails.

python reminder.py http://127.0.0.1:8000 officer-token
"""

import json
import re
import sys
import urllib.request
from datetime import datetime, timedelta, timezone

origin, officer = sys.argv[1:]


def call(method, path, token=None, body=None):
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(origin + path, data, headers, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.loads(answer.read())


def at(**after):
    return (datetime.now(timezone.utc) + timedelta(**after)).strftime("%Y-%m-%dT%H:%M:%SZ")


person = {"username": "reminded", "email": "reminded@uni.example"}
reminded = call("POST", "/local/token/", body=person)["access_token"]
applications = "/api/clubs/robotics/applications/"
application = call("POST", applications, officer, {
    "name": "Reminded",
    "application_start_time": at(days=-2),
    "application_end_time": at(seconds=120),
    "result_release_time": at(days=2),
    "is_active": True,
})  # fmt: skip
one = f"{applications}{application['id']}/"
question = call("POST", f"{one}questions/", officer, {"question_type": 1, "prompt": "Why?"})
answer = {"question": question["id"], "text": "Robots", "version": 0}
call("PATCH", f"{one}draft/", reminded, {"responses": [answer]})
# It was opened just now, so the reminder is due after half of its two minutes.
call("POST", "/local/clock/", body={"advance_s": 75})
mail = next(mail for mail in call("GET", "/local/mail.json") if mail["to"] == person["email"])
print(re.search("/unsubscribe/([^/]+)/", mail["headers"]["List-Unsubscribe"])[1])
