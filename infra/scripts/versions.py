"""Transforms template.yaml as SAM does in CloudFormation, and checks that every function publishes a
version whenever the code or a parameter changes. Run by CI with the Python of
infra/scripts/requirements.txt:

    python infra/scripts/versions.py

SAM names a version after a hash of the function's code and its text in the template. A parameter is
only a name there, so the name of the version stays. That is why the description of each version has
the number of `SettingsVersion`, which CloudFormation resolves, and replaces the version for.
"""

import copy
import logging
import os
import pathlib
import sys

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


def main():
    text = (pathlib.Path(__file__).parent / "../../template.yaml").read_text()
    before = transformed(text, {})
    functions = of_type(before, "AWS::Lambda::Function")
    versions = of_type(before, "AWS::Lambda::Version")
    aliases = of_type(before, "AWS::Lambda::Alias")
    check(len(functions) == len(versions) == len(aliases) == 8, "8 functions have an alias")
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
    print(f"{len(versions)} functions publish a version for every change")


main()
