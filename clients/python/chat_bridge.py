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
    """Writes one message. It has no names: who wants to know follows the link and signs in."""
    text = TEXTS.get(message["type"], message["type"])
    club = message["club"] or "all clubs"
    link = (message["object"] or {}).get("url", "")
    body = {"text": f"{text} ({club}) {link}".strip()}
    httpx.post(os.environ["CHAT_URL"], json=body, timeout=5).raise_for_status()


if __name__ == "__main__":
    serve(int(sys.argv[1]), write)
