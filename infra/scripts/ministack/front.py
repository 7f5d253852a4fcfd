"""What the tour needs besides the API: tokens and mails, at the paths of the local service.

Everything else goes to the distribution of the stack.
"""

import http.server
import json
import secrets
import threading
import time
import urllib.error
import urllib.request

import boto3

PASSWORD = secrets.token_urlsafe(24) + "aA1!"


class Front(http.server.ThreadingHTTPServer):
    """Serves a stack on a free port: its resources, and the address of MiniStack."""

    def __init__(self, resources, ministack):
        super().__init__(("127.0.0.1", 0), Handler)
        self.resources, self.ministack = resources, ministack
        self.pool, self.edge, self.table = map(
            boto3.client, ("cognito-idp", "cloudfront", "dynamodb")
        )
        self.host = self.edge.get_distribution(Id=resources["Delivery"])["Distribution"]["DomainName"]
        self.address = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def token(self, claims):
        """A token of the user pool for a person, who is made if there is none of this name."""
        pool, name = self.resources["UserPool"], claims["username"]
        given = {**{one: claims[one] for one in ("email", "name") if one in claims}, "email_verified": "true"}
        try:
            attributes = [{"Name": one, "Value": value} for one, value in given.items()]
            self.pool.admin_create_user(
                UserPoolId=pool, Username=name, UserAttributes=attributes, MessageAction="SUPPRESS"
            )
            self.pool.admin_set_user_password(
                UserPoolId=pool, Username=name, Password=PASSWORD, Permanent=True
            )
        except self.pool.exceptions.UsernameExistsException:
            pass
        for group in claims.get("groups", []):
            self.pool.admin_add_user_to_group(UserPoolId=pool, Username=name, GroupName=group)
        signed_in = self.pool.admin_initiate_auth(
            UserPoolId=pool,
            ClientId=self.resources["UserPoolClient"],
            AuthFlow="ADMIN_USER_PASSWORD_AUTH",
            AuthParameters={"USERNAME": name, "PASSWORD": PASSWORD},
        )
        # The API takes the token that has the name and the address.
        return signed_in["AuthenticationResult"]["IdToken"]

    def waiting(self):
        """The mails of the outbox that are not sent yet."""
        pages = self.table.get_paginator("scan").paginate(
            TableName=self.resources["Table"],
            FilterExpression="#type = :mail AND #status IN (:queued, :sending)",
            ExpressionAttributeNames={"#type": "type", "#status": "status"},
            ExpressionAttributeValues={
                ":mail": {"S": "Mail"}, ":queued": {"S": "queued"}, ":sending": {"S": "sending"}
            },
        )
        return [item for page in pages for item in page["Items"]]

    def mails(self):
        """All mails so far, the newest last, as soon as none is on its way."""
        for _ in range(300):
            if not self.waiting():
                break
            time.sleep(0.1)
        with urllib.request.urlopen(f"{self.ministack}/_ministack/ses/messages") as answer:
            accounts = json.loads(answer.read())["messages"].values()
        sent = sorted((one for account in accounts for one in account), key=lambda one: one["Timestamp"])
        names = {"to": "To", "subject": "Subject", "text": "BodyText", "at": "Timestamp"}
        return [{name: one[theirs] for name, theirs in names.items()} for one in sent]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body, headers=()):
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in ("connection", "content-length", "transfer-encoding"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def answer(self):
        sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/local/token":
            token = {"access_token": self.server.token(json.loads(sent))}
            return self.reply(200, json.dumps(token, separators=(",", ":")).encode())
        if self.path == "/local/mail.json":
            return self.reply(200, json.dumps(self.server.mails()).encode())
        headers = {**self.headers, "Host": self.server.host, "X-Forwarded-Proto": "https"}
        request = urllib.request.Request(
            self.server.ministack + self.path, sent or None, headers, method=self.command
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                self.reply(answer.status, answer.read(), answer.headers.items())
        except urllib.error.HTTPError as error:
            self.reply(error.code, error.read(), error.headers.items())

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = answer
