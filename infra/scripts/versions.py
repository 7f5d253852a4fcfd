"""Transforms template.yaml as SAM does in CloudFormation, and checks that every function publishes a
version whenever the code or a parameter changes, and that `VersionCheck` refuses a version that does
not work. Run by CI with the Python of
infra/scripts/requirements.txt:

    python infra/scripts/versions.py

SAM names a version after a hash of the function's code and its text in the template. A parameter is
only a name there, so the name of the version stays. That is why the description of each version has
the number of `SettingsVersion`, which CloudFormation resolves, and replaces the version for.
"""

import contextlib
import copy
import io
import json
import logging
import os
import pathlib
import sys
import types

logging.disable(logging.WARNING)
os.environ.setdefault("AWS_DEFAULT_REGION", "eu-central-1")
from samtranslator.translator.transform import transform
from samtranslator.yaml_helper import yaml_parse


class Policies:
    """The template names no policies of AWS."""

    def load(self):
        return {}


def transformed(text, parameters, code="s3://bucket/code"):
    template = yaml_parse(text)
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::Serverless::Function":
            resource["Properties"]["CodeUri"] = code
    given = {
        name: parameters.get(name, str(parameter["Default"]))
        for name, parameter in template["Parameters"].items()
    }
    return transform(copy.deepcopy(template), given, Policies())["Resources"]


def of_type(resources, wanted):
    return {name: one for name, one in resources.items() if one["Type"] == wanted}


def check(fine, what):
    if not fine:
        sys.exit(f"template.yaml: {what}")


class Throttled(Exception):
    """The function is stopped, or the account has no free execution."""


class Amazon:
    """CodeDeploy and Lambda, as `VersionCheck` meets them."""

    exceptions = types.SimpleNamespace(TooManyRequestsException=Throttled)

    def __init__(self, current, target, answer):
        self.info = {"functionName": "clubs-clubs", "currentVersion": current, "targetVersion": target}
        self.answer = answer
        self.calls = []

    def client(self, _, config=None):
        return self

    def list_deployment_targets(self, deploymentId):
        return {"targetIds": ["clubs-clubs:live"]}

    def batch_get_deployment_targets(self, deploymentId, targetIds):
        return {"deploymentTargets": [{"lambdaTarget": {"lambdaFunctionInfo": self.info}}]}

    def invoke(self, FunctionName, Qualifier, Payload):
        self.calls.append((FunctionName, Qualifier, json.loads(Payload)["path"]))
        if isinstance(self.answer, Exception):
            raise self.answer
        return {**self.answer, "Payload": io.StringIO(self.answer["Payload"])}

    def put_lifecycle_event_hook_execution_status(self, **given):
        self.calls.append(given)


def check_hook(code):
    """Runs the code of `VersionCheck` with each kind of answer."""
    works, fails = {"Payload": '{"statusCode": 200}'}, {"Payload": '{"statusCode": 503, "body": "why"}'}
    crashes = {"Payload": '{"errorMessage": "it ended"}', "FunctionError": "Unhandled"}
    mails = {"Payload": '{"batchItemFailures": []}'}
    for current, target, answer, status, tries in [
        ("3", "4", works, "Succeeded", 1),
        ("3", "4", mails, "Succeeded", 1),
        ("3", "4", fails, "Failed", 3),
        ("3", "4", crashes, "Failed", 3),
        ("3", "4", TimeoutError(), "Failed", 3),
        # A restore stops submissions, and a full account says nothing about a version.
        ("3", "4", Throttled(), "Succeeded", 3),
        # CloudFormation takes a deployment back, and the version before worked.
        ("10", "9", fails, "Succeeded", 0),
        ("9", "9", fails, "Succeeded", 0),
    ]:
        amazon = Amazon(current, target, answer)
        boto3 = types.ModuleType("boto3")
        boto3.client = amazon.client
        sys.modules["boto3"] = boto3
        scope = {}
        exec(code, scope)
        scope["time"] = types.SimpleNamespace(sleep=lambda _: None)
        event = {"DeploymentId": "d-1", "LifecycleEventHookExecutionId": "one"}
        with contextlib.suppress(RuntimeError), contextlib.redirect_stdout(io.StringIO()):
            scope["check"](event, None)
        told = {"deploymentId": "d-1", "lifecycleEventHookExecutionId": "one", "status": status}
        check(amazon.calls[-1] == told, f"VersionCheck tells {amazon.calls[-1]}, not {status}")
        asked = [("clubs-clubs", target, "/ready")] * tries
        check(amazon.calls[:-1] == asked, f"VersionCheck asks {amazon.calls[:-1]}, not {asked}")


def check_hash(code):
    """Runs the code of `SecretsHash`. Another secret makes another name, and the name tells none."""
    scope, told = {}, []
    exec(code, scope)
    scope["urllib"] = types.SimpleNamespace(
        request=types.SimpleNamespace(
            Request=lambda url, body, headers, method: (url, json.loads(body), method),
            urlopen=lambda request, timeout: told.append(request),
        )
    )
    event = {
        "StackId": "arn:stack", "RequestId": "r", "LogicalResourceId": "SecretsVersion",
        "ResponseURL": "https://answer", "RequestType": "Create",
    }
    for secrets, more in [
        (["a" * 32, ""], {}),
        (["a" * 32, ""], {"RequestType": "Update", "PhysicalResourceId": "before"}),
        (["a" * 32, "b" * 32], {"RequestType": "Update", "PhysicalResourceId": "before"}),
        (["a" * 32, ""], {"RequestType": "Delete", "PhysicalResourceId": "before"}),
        (["a" * 32, ""], {"StackId": "arn:other"}),
    ]:
        scope["answer"]({**event, **more, "ResourceProperties": {"Secrets": secrets}}, None)
    check(all((url, method) == ("https://answer", "PUT") for url, _, method in told), "SecretsHash does not answer")
    check(all(body["Status"] == "SUCCESS" and body["RequestId"] == "r" for _, body, _ in told), "SecretsHash fails")
    first, same, other, gone, elsewhere = (body["PhysicalResourceId"] for _, body, _ in told)
    check(first == same and len({first, other, elsewhere}) == 3, "SecretsHash does not name the secrets")
    check(gone == "before", "SecretsHash deletes something else")


def main():
    text = (pathlib.Path(__file__).parent / "../../template.yaml").read_text()
    before = transformed(text, {})
    # Only CodeDeploy and CloudFormation call these, and always in their present state.
    functions = of_type(before, "AWS::Lambda::Function")
    functions.pop("VersionCheck")
    check_hash(functions.pop("SecretsHash")["Properties"]["Code"]["ZipFile"])
    versions = of_type(before, "AWS::Lambda::Version")
    aliases = of_type(before, "AWS::Lambda::Alias")
    check(functions, "there are no functions")
    every = len(functions) == len(versions) == len(aliases)
    check(every, "a function has no version or no alias")
    for name, version in versions.items():
        properties = version["Properties"]
        function = functions[properties["FunctionName"]["Ref"]]["Properties"]
        for described in (properties, function):
            told = "${SettingsVersion}" in str(described.get("Description"))
            check(told, f"{name}: a parameter publishes no version")
        kept = version.get("UpdateReplacePolicy") == version.get("DeletionPolicy") == "Retain"
        check(kept, f"{name}: there is no way back to a version that was replaced")
    for alias in aliases.values():
        live = alias["Properties"]["FunctionVersion"]["Fn::GetAtt"][0]
        check(live in versions, "an alias leads to a version")
    hook = before["VersionCheck"]
    check_hook(hook["Properties"]["Code"]["ZipFile"])
    for name, alias in aliases.items():
        policy = alias["UpdatePolicy"]["CodeDeployLambdaAliasUpdate"]
        check("VersionCheck" in str(policy.get("BeforeAllowTrafficHook")), f"{name} is not checked")
    # A change of the code, or of the text, has a version of another name.
    others = [
        transformed(text, {}, "s3://bucket/other"),
        transformed(text.replace("OIDC_LEEWAY_SECONDS: \"30\"", "OIDC_LEEWAY_SECONDS: \"31\""), {}),
    ]
    for other in others:
        same = versions.keys() & of_type(other, "AWS::Lambda::Version").keys()
        check(not same, f"{', '.join(same)}: a change publishes no version")
    # If this fails, SAM resolves parameters by now, and `SettingsVersion` can go.
    rated = of_type(transformed(text, {"MailRate": "9"}), "AWS::Lambda::Version")
    check(rated.keys() == versions.keys(), "SAM compares parameters")
    print(f"{len(versions)} functions publish a version for every change, and each one is checked")


main()
