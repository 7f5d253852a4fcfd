"""Receives webhooks: verifies each one, and prints it as a line of JSON.

python receiver.py 9000

The secret of the webhook is in the environment variable CLUBS_WEBHOOK_SECRET. In front of it stands
whatever ends TLS: Clubs calls https only.
"""

import collections
import http.server
import json
import os
import sys
from collections.abc import Callable
from typing import Any

from standardwebhooks import Webhook, WebhookVerificationError

MOST_BYTES = 64 * 1024


def serve(port: int, take: Callable[[dict[str, Any]], None]) -> None:
    """Gives each message to `take`, once as far as this process knows. If it raises, the message is
    answered with 503 and comes again."""
    webhook = Webhook(os.environ["CLUBS_WEBHOOK_SECRET"])
    # The last messages: the same one may come more than once.
    known: collections.OrderedDict[str, None] = collections.OrderedDict()

    class Handler(http.server.BaseHTTPRequestHandler):
        timeout = 10

        def do_POST(self) -> None:  # noqa: N802
            self.send_response(self.answer())
            self.send_header("content-length", "0")
            self.end_headers()

        def answer(self) -> int:
            length = self.headers.get("content-length") or "0"
            size = int(length) if length.isdecimal() else -1
            if not 0 <= size <= MOST_BYTES:
                return 413
            headers = {name.lower(): value for name, value in self.headers.items()}
            try:
                message = webhook.verify(self.rfile.read(size), headers)
            # A signature or a text that is none at all is a ValueError.
            except (WebhookVerificationError, ValueError):
                return 401
            name = headers["webhook-id"]
            if name not in known:
                try:
                    take(message)
                except Exception as error:  # noqa: BLE001
                    print(error, file=sys.stderr)
                    return 503
                known[name] = None
                if len(known) > 10_000:
                    known.popitem(last=False)
            return 204

        def log_message(self, *_: Any) -> None:
            pass

    http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()


if __name__ == "__main__":
    serve(int(sys.argv[1]), lambda message: print(json.dumps(message), flush=True))
