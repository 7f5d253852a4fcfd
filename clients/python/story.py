"""One recruitment through a generated Python client, against the local service:

python story.py http://127.0.0.1:8000
"""

import base64
import datetime
import io
import sys
import time
from http import HTTPStatus
from typing import TypeVar

import httpx
from clubs_client.api.applications import create_application
from clubs_client.api.clubs import create_club, upload_club_logo
from clubs_client.api.mails import send_emails
from clubs_client.api.people import list_users
from clubs_client.api.questions import create_question
from clubs_client.api.submissions import (
    export_submissions,
    list_submissions,
    submit,
    update_decision,
)
from clubs_client.client import AuthenticatedClient
from clubs_client.models import (
    ApplicationInput,
    ClubInput,
    CommitteeInput,
    DecisionInputPatch,
    EmailType,
    ErrorBody,
    ImageUpload,
    MailType,
    NewResponse,
    NewSubmission,
    QuestionInput,
    QuestionType,
    SendInput,
    Status,
)
from clubs_client.types import File, Response

ORIGIN = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000"
RUN = format(time.time_ns() // 1_000_000, "x")
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
T = TypeVar("T")


def client_of(username: str) -> AuthenticatedClient:
    """A client for one person. The local service gives everybody a token."""
    person = {
        "username": username,
        "name": f"{username} Story",
        "email": f"{username}@uni.example",
    }
    token = httpx.post(f"{ORIGIN}/local/token", json=person).json()["access_token"]
    return AuthenticatedClient(base_url=ORIGIN, token=token, raise_on_unexpected_status=True)


def taken(answer: Response[ErrorBody | T]) -> T:
    """The body of an answer; an error of the service ends the story."""
    body = answer.parsed
    if body is None or isinstance(body, ErrorBody):
        raise SystemExit(f"{answer.status_code}: {body}")
    return body


def day(days: float) -> datetime.datetime:
    """Some days from now."""
    return datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=days)


def mail_to(address: str) -> str:
    """The text of the mail to an address. The worker sends it a moment after the answer."""
    for _ in range(100):
        for mail in httpx.get(f"{ORIGIN}/local/mail.json").json():
            if mail["to"] == address:
                return str(mail["text"])
        time.sleep(0.1)
    raise SystemExit("no mail came")


officer = client_of(f"py-officer-{RUN}")
applicant = client_of(f"py-applicant-{RUN}")

made = create_club.sync_detailed(
    client=officer,
    body=ClubInput(name=f"Python story {RUN}"),
    idempotency_key=f"club-{RUN}",
)
club = taken(made).code
assert made.headers["ETag"]

application = taken(
    create_application.sync_detailed(
        club,
        client=officer,
        body=ApplicationInput(
            name="Autumn",
            application_start_time=day(-1),
            application_end_time=day(5),
            result_release_time=day(9),
            is_active=True,
            committees=[CommitteeInput(name="Tech")],
        ),
    )
)
question = taken(
    create_question.sync_detailed(
        club,
        application.id,
        client=officer,
        body=QuestionInput(question_type=QuestionType.FREE_RESPONSE, prompt="Why?"),
    )
)

picture = File(io.BytesIO(base64.b64decode(PIXEL)), "logo.png", "image/png")
logo = taken(upload_club_logo.sync_detailed(club, client=officer, body=ImageUpload(file=picture)))
assert logo.image_url

submission = taken(
    submit.sync_detailed(
        club,
        application.id,
        client=applicant,
        body=NewSubmission(
            committee=application.committees[0].id,
            responses=[NewResponse(question=question.id, text="Because I like stories.")],
        ),
    )
)
assert submission.status == Status.PENDING

found = taken(
    list_submissions.sync_detailed(
        club, application.id, client=officer, status=Status.PENDING, search="applicant"
    )
)
assert isinstance(found, list)
assert found[0].user is not None and found[0].user.username == f"py-applicant-{RUN}"

decided = taken(
    update_decision.sync_detailed(
        club,
        application.id,
        submission.id,
        client=officer,
        body=DecisionInputPatch(status=Status.ACCEPTED, reason="A good story."),
    )
)
assert decided.status == Status.ACCEPTED

acceptance = EmailType(id=MailType.ACCEPTANCE)
preview = taken(
    send_emails.sync_detailed(
        club,
        application.id,
        client=officer,
        body=SendInput(email_type=acceptance, dry_run=True),
    )
)
assert preview.previews and preview.digest
sent = taken(
    send_emails.sync_detailed(
        club,
        application.id,
        client=officer,
        body=SendInput(email_type=acceptance, digest=preview.digest),
    )
)
assert sent.recipients == 1
assert "A good story." in mail_to(f"py-applicant-{RUN}@uni.example")

people = taken(list_users.sync_detailed(client=officer, search=f"py-applicant-{RUN}"))
assert isinstance(people, list) and len(people) == 1

csv = export_submissions.sync_detailed(club, application.id, client=officer)
assert csv.status_code == HTTPStatus.OK and b"Because I like stories." in csv.content

refused = list_submissions.sync_detailed(club, application.id, client=applicant).parsed
assert isinstance(refused, ErrorBody) and refused.code == "permission_denied"

print(f"Python: the story of {club} is complete")
