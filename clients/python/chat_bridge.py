"""Writes what changes in a club into a chat:

python chat_bridge.py 9000

CLUBS_WEBHOOK_SECRET is the secret of the webhook. CHAT_URL is an incoming webhook of the chat that
takes `{"text": …}`: Slack, Mattermost, Rocket.Chat and Google Chat do. While the chat does not take
a message, Clubs is told so, and sends it again later.
"""

import os
import sys
from typing import Any

import httpx

from receiver import serve

TEXTS = {
    "submission.created": "Somebody has applied",
    "submission.withdrawn": "An application was withdrawn",
    "request.created": "Somebody asks to join",
    "member.added": "There is a new member",
    "event.created": "There is a new event",
    "test": "Clubs can write here",
}


def write(message: dict[str, Any]) -> None:
    """Writes one message. It has no names: who wants to know opens the club and signs in."""
    text = TEXTS.get(message["type"], message["type"])
    if message["club"]:
        site = message["object"]["url"].split("/api/")[0]
        text = f"{text}: {site}/clubs/{message['club']}/manage/"
    answer = httpx.post(os.environ["CHAT_URL"], json={"text": text}, timeout=5)
    if not answer.is_success:
        # The address of the chat is a secret, and must not be in the log.
        raise RuntimeError(f"the chat answers {answer.status_code}")


if __name__ == "__main__":
    serve(int(sys.argv[1]), write)
