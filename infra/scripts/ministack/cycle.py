"""The life of a stack in MiniStack, as an operator leads it: cycle.py BUILT PORT CLUBS_ADMIN

Created, the tour, changed parameters, a restored table, back with `clubs-admin back`, forward with a
change of one function, a version that does not work, an alias that was moved by hand, and deleted. BUILT is
the folder of `sam build`. Each step asks the functions that are live, through the gateway and
through CloudFront, and what a parameter changes is seen in their answers.
"""

import hashlib
import io
import json
import os
import pathlib
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile

BUILT, PORT, ADMIN = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
URL, STACK, CODE = f"http://127.0.0.1:{PORT}", "clubs", "code"
os.environ.update(
    AWS_DEFAULT_REGION="eu-central-1",
    AWS_ACCESS_KEY_ID="test",
    AWS_SECRET_ACCESS_KEY="test",
    AWS_ENDPOINT_URL=URL,
)
import boto3
from front import Front
from samtranslator.yaml_helper import yaml_parse

s3, cloud, functions, tables, edge = map(
    boto3.client, ("s3", "cloudformation", "lambda", "dynamodb", "cloudfront")
)
NAMES = ["clubs", "applications", "submissions", "memberships", "events", "tickets", "site", "mailer", "mail-reports", "notices", "changes", "webhooks"]
# What one and the same machine can run, and a sender whose identity the stack has.
ALWAYS = {
    "Architecture": "arm64" if os.uname().machine == "aarch64" else "x86_64",
    "EndpointUrl": URL,
    "MailFrom": "Clubs <clubs@uni.example>",
    "CreateMailIdentity": "yes",
}


def package(folder, change):
    """Uploads a function under the hash of its content, as `sam package` does. `change` is shell code
    that runs before it."""
    files = {"bootstrap": (BUILT / folder / "bootstrap").read_bytes()}
    if change:
        start = f'#!/bin/sh\n{change}\nexec "$LAMBDA_TASK_ROOT/program"\n'
        files = {"program": files["bootstrap"], "bootstrap": start.encode()}
    key = hashlib.sha256(b"".join(files.values())).hexdigest()
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as writer:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = 0o100755 << 16
            writer.writestr(entry, content)
    s3.put_object(Bucket=CODE, Key=key, Body=archive.getvalue())
    return f"s3://{CODE}/{key}"


def packaged(**changes):
    """The template as `sam deploy` uploads it. `changes` is other code, by function."""
    template = yaml_parse((BUILT / "template.yaml").read_text())
    for name, resource in template["Resources"].items():
        if resource["Type"] == "AWS::Serverless::Function":
            properties = resource["Properties"]
            properties["CodeUri"] = package(properties["CodeUri"], changes.get(name, ""))
    return json.dumps(template, default=str)


def events():
    pages = cloud.get_paginator("describe_stack_events").paginate(StackName=STACK)
    return [one for page in pages for one in page["StackEvents"]]


def settled(stack=STACK):
    while (found := cloud.describe_stacks(StackName=stack)["Stacks"][0])["StackStatus"].endswith(
        "IN_PROGRESS"
    ):
        time.sleep(0.1)
    return found["StackStatus"]


def deploy(what, template, expected="UPDATE_COMPLETE", **parameters):
    """Deploys as `sam deploy` does. Returns why resources failed."""
    first = expected == "CREATE_COMPLETE"
    begin, seen = time.time(), set() if first else {one["EventId"] for one in events()}
    s3.put_object(Bucket=CODE, Key="template", Body=template)
    given = [
        {"ParameterKey": name, "ParameterValue": value} for name, value in {**ALWAYS, **parameters}.items()
    ]
    (cloud.create_stack if first else cloud.update_stack)(
        StackName=STACK,
        TemplateURL=f"{URL}/{CODE}/template",
        Capabilities=["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"],
        Parameters=given,
    )
    status = settled()
    print(f"{what}: {status} after {time.time() - begin:.1f} s")
    failed = [
        one for one in events() if one["EventId"] not in seen and one["ResourceStatus"].endswith("_FAILED")
    ]
    reasons = [f"{one['LogicalResourceId']}: {one.get('ResourceStatusReason')}" for one in failed]
    assert status == expected and bool(reasons) == ("ROLLBACK" in expected), (status, reasons)
    return reasons


def admin(*arguments):
    done = subprocess.run([ADMIN, *arguments, "--stack", STACK], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    print(f"clubs-admin {arguments[0]}: {done.stdout.splitlines()[0]}")
    return done.stdout


def resources():
    pages = cloud.get_paginator("list_stack_resources").paginate(StackName=STACK)
    found = [one for page in pages for one in page["StackResourceSummaries"]]
    return {one["LogicalResourceId"]: one["PhysicalResourceId"] for one in found}


def live():
    """The live version of each function, by name: its number, and its environment."""
    found = {}
    for function in NAMES:
        configuration = functions.get_function_configuration(
            FunctionName=f"{STACK}-{function}", Qualifier="live"
        )
        found[function] = int(configuration["Version"]), configuration["Environment"]["Variables"]
    return found


def all_have(**variables):
    for function, (_, environment) in live().items():
        expected = dict(variables)
        if function == "site":
            # It needs no secret.
            expected.pop("INVITE_SECRET", None)
        found = {name: environment.get(name) for name in expected}
        assert found == expected, (function, found)


def get(path, by="gateway"):
    """The answer to a request through the gateway, or through CloudFront."""
    found = resources()
    if by == "gateway":
        path, host = f"dev/{path}", f"{found['Api']}.execute-api.localhost:{PORT}"
    else:
        host = edge.get_distribution(Id=found["Delivery"])["Distribution"]["DomainName"]
    request = urllib.request.Request(f"{URL}/{path}", headers={"Host": host, "X-Forwarded-Proto": "https"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def works():
    for by in ("gateway", "CloudFront"):
        assert get("api/health/", by) == (200, '{"status":"ok"}'), get("api/health/", by)
        assert get("api/clubs/", by)[0] == 200, get("api/clubs/", by)
        # The function has its issuer.
        assert get("api/settings/", by)[0] == 401, get("api/settings/", by)


def as_person(front, name, method, path, body=None):
    """The answer to a request of somebody who is signed in."""
    headers = {"Authorization": f"Bearer {front.token({'username': name})}", "Content-Type": "application/json"}
    data = json.dumps(body).encode() if body else None
    request = urllib.request.Request(f"{front.address}/api/{path}", data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def seconds_for_invitations(front, count):
    """How long it takes to send so many invitations, from the first to the last."""
    before = len(front.mails())
    people = [f"new{before + n}@uni.example" for n in range(count)]
    invites = [as_person(front, "ada", "POST", "clubs/go-club/invites/", {"email": one}) for one in people]
    assert all(status == 201 for status, _ in invites), invites
    sent = front.mails()[before:]
    assert len(sent) == count, sent
    return sent[-1]["at"] - sent[0]["at"]


def calendar(front):
    """The path of a calendar, whose address is made with InviteSecret."""
    status, answer = as_person(front, "ada", "GET", "settings/calendar/")
    assert status == 200, answer
    return answer["url"].split("/api/")[1]


def restore(table):
    """Restores the table, with one tag more. Returns the stream of the new one."""
    tables.restore_table_to_point_in_time(
        SourceTableName=table, TargetTableName="restored", UseLatestRestorableTime=True
    )
    streamed = tables.update_table(
        TableName="restored", StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    )
    item = {
        "pk": {"S": "TAGS"},
        "sk": {"S": f"{1:016}"},
        "type": {"S": "Tag"},
        "id": {"N": "1"},
        "version": {"N": "1"},
        "uses": {"N": "0"},
        "value": {"M": {"name": {"S": "Restored"}}},
    }
    tables.put_item(TableName="restored", Item=item)
    version = {"pk": {"S": "CATALOGUE"}, "sk": {"S": "VERSION"}, "type": {"S": "Version"}, "TAGS": {"N": "1"}}
    tables.put_item(TableName="restored", Item=version)
    return streamed["TableDescription"]["LatestStreamArn"]


def main():
    start = time.time()
    s3.create_bucket(Bucket=CODE, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    first = packaged()
    deploy("create", first, "CREATE_COMPLETE")
    table, gateway = resources()["Table"], resources()["Api"]
    all_have(MAIL_RATE="10", TABLE_NAME=table)
    works()
    front = Front(resources(), URL)
    subprocess.run(["bash", "infra/scripts/tour", front.address], check=True)
    club = {"name": "One more"}
    assert as_person(front, "ada", "POST", "clubs/", club)[0] == 201
    assert seconds_for_invitations(front, 5) < 8

    admin("keep")
    deploy("changed parameters", first, MailRate="1", QuotaClubsOwned="2")
    assert {number for number, _ in live().values()} == {2}
    all_have(MAIL_RATE="1", QUOTA_CLUBS_OWNED="2")
    works()
    refused = as_person(front, "ada", "POST", "clubs/", {"name": "Too many"})
    assert refused[0] == 400 and refused[1]["code"] == "quota", refused
    # The rate is that of the workers, of which this emulator starts any number.
    seconds_for_invitations(front, 5)
    address = calendar(front)
    assert get(f"api/{address}")[0] == 200
    deploy("a changed secret", first, MailRate="1", QuotaClubsOwned="2", InviteSecret="x" * 40)
    assert {number for number, _ in live().values()} == {3}
    all_have(INVITE_SECRET="x" * 40)
    assert get(f"api/{address}")[0] == 404, "an address that was made with the old secret"
    assert get(f"api/{calendar(front)}")[0] == 200

    stream = restore(table)
    assert "Restored" not in get("api/tags/")[1]
    restored = {
        "MailRate": "20",
        "InviteSecret": "x" * 40,
        "RestoredTable": "restored",
        "RestoredStream": stream,
    }
    deploy("a restored table", first, **restored)
    all_have(TABLE_NAME="restored")
    mappings = functions.list_event_source_mappings()["EventSourceMappings"]
    # The changes are read from the new stream; the mapping of the old one is gone.
    streams = [one["EventSourceArn"] for one in mappings if ":dynamodb:" in one["EventSourceArn"]]
    assert streams == [stream], mappings
    assert "Restored" in get("api/tags/")[1], "live functions read the restored table"
    works()

    # The release that was kept, but neither its table nor its secret.
    admin("back")
    all_have(MAIL_RATE="10", TABLE_NAME="restored", INVITE_SECRET="x" * 40)
    works()

    numbers = {name: number for name, (number, _) in live().items()}
    second = packaged(Site="export UNIVERSITY=Changed")
    kept = {
        one["ParameterKey"]: one["ParameterValue"]
        for one in cloud.describe_stacks(StackName=STACK)["Stacks"][0]["Parameters"]
    }
    now = {**restored, "MailRate": "10", "Revision": kept["Revision"]}
    deploy("a fix in one function", second, **now)
    after = {name: number for name, (number, _) in live().items()}
    assert after == {**numbers, "site": numbers["site"] + 1}, (numbers, after)
    assert '"university":"Changed"' in get("")[1]
    works()

    # VersionCheck finds what does not work before anybody meets it.
    broken = packaged(Site="export UNIVERSITY=Changed", Events="export TABLE_NAME=nothing")
    reasons = deploy("a version that does not work", broken, "UPDATE_ROLLBACK_COMPLETE", **now)
    assert "clubs-events" in str(reasons), reasons
    assert {name: number for name, (number, _) in live().items()} == after
    works()

    functions.update_alias(FunctionName="clubs-site", Name="live", FunctionVersion=str(numbers["site"]))
    reasons = deploy(
        "after an alias was moved by hand", second, "UPDATE_ROLLBACK_COMPLETE", **{**now, "MailRate": "30"}
    )
    assert "clubs-site:live" in str(reasons), reasons
    functions.update_alias(FunctionName="clubs-site", Name="live", FunctionVersion=str(after["site"]))
    deploy("after it was moved back", second, **{**now, "MailRate": "40"})
    all_have(MAIL_RATE="40")
    deploy("new settings of the gateway", second, **{**now, "CorsOrigins": "https://uni.example"})
    assert resources()["Api"] == gateway, "the address of the API stays"
    works()

    cloud.delete_stack(StackName=STACK)
    stack = cloud.list_stacks()["StackSummaries"][0]["StackId"]
    print(f"delete: {settled(stack)}")
    assert not functions.list_functions()["Functions"]
    assert table in tables.list_tables()["TableNames"], "the table stays"
    print(f"the life of a stack in {time.time() - start:.0f} s")


main()
