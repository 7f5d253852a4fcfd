"""Runs the receivers of clients/ and the bridge to a chat, each as a webhook of a club of a local
service that was started with CLUB_WEBHOOKS_LOCAL=yes:

python webhooks.py http://127.0.0.1:8000 OFFICER_TOKEN clients/python clients/javascript
"""

import http.server
import json
import os
import pathlib
import queue
import socket
import subprocess
import sys
import threading
import time

import httpx

ORIGIN, OFFICER, PYTHON, JAVASCRIPT = sys.argv[1:5]
TYPES = ["club.updated", "event.created"]
officer = httpx.Client(base_url=ORIGIN, headers={"Authorization": f"Bearer {OFFICER}"}, timeout=30)


def done(answer: httpx.Response) -> dict:
    assert answer.is_success, answer.text
    return answer.json() if answer.content else {}


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def listens(port: int) -> None:
    for _ in range(100):
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise SystemExit(f"nothing listens on {port}")


class Receiver:
    """A webhook of the club, and the program that receives it."""

    def __init__(self, command: list[str], **environment: str) -> None:
        self.port = free_port()
        url = f"http://127.0.0.1:{self.port}/"
        made = done(officer.post(HOOKS, json={"url": url, "types": TYPES}))
        self.path = f"{HOOKS}{made['id']}/"
        self.process = self.start(command, made["secret"], environment)
        self.lines: queue.Queue[dict] = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def start(self, command: list[str], secret: str, environment: dict) -> subprocess.Popen:
        known = {**os.environ, **environment, "CLUBS_WEBHOOK_SECRET": secret}
        process = subprocess.Popen([*command, str(self.port)], env=known, stdout=subprocess.PIPE, text=True)
        listens(self.port)
        return process

    def read(self) -> None:
        for line in self.process.stdout:
            self.lines.put(json.loads(line))

    def statuses(self) -> list:
        return [one["status"] for one in done(officer.get(f"{self.path}deliveries/"))]

    def settles(self, statuses: list) -> None:
        for _ in range(200):
            if self.statuses() == statuses:
                return
            time.sleep(0.1)
        raise SystemExit(f"{statuses}, not {self.statuses()}")


class Chat(http.server.BaseHTTPRequestHandler):
    """A chat. At first it is down."""

    texts: queue.Queue[str] = queue.Queue()
    is_down = True

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.send_response(503 if Chat.is_down else 200)
        self.end_headers()
        if not Chat.is_down:
            Chat.texts.put(json.loads(body)["text"])

    def log_message(self, *_) -> None:
        pass


code = done(officer.post("/api/clubs/", json={"name": f"hooks-{time.time_ns() // 1_000_000:x}"}))["code"]
HOOKS = f"/api/clubs/{code}/webhooks/"
chat = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Chat)
threading.Thread(target=chat.serve_forever, daemon=True).start()
python = pathlib.Path(PYTHON)
receivers = [
    Receiver([sys.executable, str(python / "receiver.py")]),
    Receiver(["node", str(pathlib.Path(JAVASCRIPT) / "receiver.js")]),
]
bridge = Receiver([sys.executable, str(python / "chat_bridge.py")], CHAT_URL=f"http://127.0.0.1:{chat.server_port}/")
try:
    done(officer.patch(f"/api/clubs/{code}/", json={"subtitle": "We are told"}))
    for one in receivers:
        told = one.lines.get(timeout=30)
        assert (told["type"], told["club"], told["object"]["id"]) == ("club.updated", code, code), told
        one.settles([204])
        # For a day, the secret that the receiver knows signs besides the new one.
        assert done(officer.post(f"{one.path}secret/"))["secret"].startswith("whsec_")
        done(officer.post(f"{one.path}test/"))
        assert one.lines.get(timeout=30)["type"] == "test"
        one.settles([204, 204])
    # What the chat did not take comes again after 5 seconds, by the clock of the service.
    bridge.settles([503])
    Chat.is_down = False
    done(httpx.post(f"{ORIGIN}/local/clock/", json={"advance_s": 6}))
    assert code in Chat.texts.get(timeout=30)
    bridge.settles([204])
    # Whoever does not know the secret is not heard.
    assert httpx.post(f"http://127.0.0.1:{receivers[0].port}/", json={"type": "test"}).status_code == 401
    assert httpx.post(f"http://127.0.0.1:{receivers[1].port}/", json={"type": "test"}).status_code == 401
finally:
    for one in [*receivers, bridge]:
        one.process.kill()
print("two receivers and a bridge to a chat were told, with the reference libraries")
