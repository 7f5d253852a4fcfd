"""Compares a calendar with the list of events. The icalendar library reads the calendar."""
import json
import sys
from datetime import datetime, timezone

from icalendar import Calendar

text = open(sys.argv[1], "rb").read()
events = json.load(open(sys.argv[2]))
assert events["next"] is None, "more than one page"
assert all(len(line) <= 75 for line in text.split(b"\r\n")), "a line is too long"
entries = {}
for entry in Calendar.from_ical(text).walk("VEVENT"):
    assert str(entry["UID"]) not in entries, f"{entry['UID']} is there twice"
    assert entry["DTSTAMP"].dt.tzinfo is not None
    entries[str(entry["UID"])] = entry
# Showings that have ended are not in the calendar across clubs.
now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
showings = 0
for event in events["results"]:
    for showing in event["showings"]:
        if showing["end_time"] < now:
            continue
        showings += 1
        entry = entries[f"showing-{showing['id']}@clubs"]
        assert str(entry["SUMMARY"]) == f"{event['name']} ({event['club_name']})", entry["SUMMARY"]
        assert entry["DTSTART"].dt.strftime("%Y-%m-%dT%H:%M:%SZ") == showing["start_time"]
        assert str(entry.get("LOCATION", "")) == (showing["location"] or "")
assert showings == len(entries) > 0, f"{showings} showings, {len(entries)} entries"
print(f"the calendar has all {showings} showings")
