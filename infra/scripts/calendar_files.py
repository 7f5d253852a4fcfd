"""Books, moves and cancels an interview with the local service, and reads the calendar files of the
mails with two libraries: all must be about one event."""
import base64
import json
import sys
import time
import urllib.request
from datetime import datetime, timedelta, timezone

import icalendar
import vobject

ORIGIN = sys.argv[1]


def call(method, path, token=None, body=None):
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(ORIGIN + path, method=method, data=data, headers=headers)
    with urllib.request.urlopen(request) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def token(username):
    body = {"username": username, "email": f"{username}@uni.example"}
    return call("POST", "/local/token/", body=body)["access_token"]


def at(hours):
    moment = datetime.now(timezone.utc) + timedelta(hours=hours)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


officer, applicant = token("cal-officer"), token("cal-applicant")
club = call("POST", "/api/clubs/", officer, {"name": "Calendar; with, ä"})["code"]
times = {"application_start_time": at(-1), "application_end_time": at(90)}
body = {"name": "Fall", "is_active": True, "result_release_time": at(200), **times}
application = call("POST", f"/api/clubs/{club}/applications/", officer, body)["id"]
form = f"/api/clubs/{club}/applications/{application}/"
submission = call("POST", f"{form}submissions/", applicant, {"responses": []})["id"]


def slot(hours, location):
    times = {"start_time": at(hours), "end_time": at(hours + 1)}
    return call("POST", f"{form}slots/", officer, {**times, "location": location})["id"]


first, second = slot(100, "Room 1; Haus B, Straße 5 " + "x" * 80), slot(110, "Room 2")
body = {"email_type": {"id": "interview"}, "submissions": [submission]}
call("POST", f"{form}send_emails/", officer, body)
interview = f"/api/submissions/{submission}/interview/"
requests = [
    ("PUT", interview, applicant, {"slot": first}),
    ("PUT", interview, applicant, {"slot": second}),
    ("PATCH", f"{form}slots/{second}/", officer, {"location": "Room 3"}),
    ("DELETE", interview, applicant),
]
for request in requests:
    call(*request)
    # Of the mails of ten minutes, only the first and the last one are sent (K14).
    call("POST", "/local/clock/", body={"advance_s": 601})


def files():
    """The calendar files that the applicant was sent, in order."""
    mails = [mail for mail in call("GET", "/local/mail.json") if "cal-applicant" in mail["to"]]
    found = [file for mail in mails for file in mail["attachments"]]
    return [base64.b64decode(file["content"]) for file in found]


# The worker sends what was queued a moment ago.
until = time.monotonic() + 30
while len(files()) < 4 and time.monotonic() < until:
    time.sleep(0.1)
events, steps = set(), []
for raw in files():
    assert all(len(line) <= 75 for line in raw.split(b"\r\n")), "a line is too long"
    calendar, other = icalendar.Calendar.from_ical(raw), vobject.readOne(raw.decode())
    (event,), (same,) = calendar.walk("VEVENT"), other.vevent_list
    assert (str(event["UID"]), str(event["LOCATION"])) == (same.uid.value, same.location.value)
    assert event["DTSTART"].dt == same.dtstart.value and event["DTEND"].dt == same.dtend.value
    assert int(event["SEQUENCE"]) == int(same.sequence.value)
    assert str(calendar["METHOD"]) == other.method.value
    events.add(same.uid.value)
    steps.append((int(same.sequence.value), other.method.value, same.location.value[:6]))
assert len(events) == 1, f"{len(events)} events"
assert [step[1] for step in steps] == ["REQUEST", "REQUEST", "REQUEST", "CANCEL"], steps
assert [step[2] for step in steps] == ["Room 1", "Room 2", "Room 3", "Room 3"], steps
assert [step[0] for step in steps] == sorted({step[0] for step in steps}), steps
print("two libraries read the calendar files of an interview as one event")
