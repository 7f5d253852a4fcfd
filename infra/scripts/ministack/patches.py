"""Patches for MiniStack 1.5.33, so that it runs the whole template. Each one says what is missing there.

They use names that are private to MiniStack, so they fit this version only (infra/scripts/stack).
"""

import functools
import json
import os
import uuid

from ministack import app
from ministack.core import router
from ministack.core.responses import json_response
from ministack.services import apigateway_v1 as gateway
from ministack.services import cloudfront, cognito
from ministack.services import lambda_svc as functions
from ministack.services.cloudformation import _stacks, engine, stacks
from ministack.services.cloudformation import provisioners as make

HANDLERS = make._RESOURCE_HANDLERS

# ---- The attribute ProviderURL of a user pool does not exist, and functions could not fetch the keys of the real issuer ----
pool_attributes, sign = make._cognito_user_pool_attributes, cognito._signed_jwt
issuer = lambda pool: f"http://127.0.0.1:{os.environ['GATEWAY_PORT']}/{pool}"
make._cognito_user_pool_attributes = lambda pool: {**pool_attributes(pool), "ProviderURL": issuer(pool)}
cognito._signed_jwt = lambda claims, pool="", use="": sign(
    {**claims, "iss": issuer(pool)} if pool else claims, pool, use
)


# ---- Alarms with metric math are refused; the first of their metrics stands for all ----
def simple(alarm):
    def handler(*arguments):
        return alarm(
            *(one_metric(one) if isinstance(one, dict) and "Metrics" in one else one for one in arguments)
        )

    return handler


def one_metric(properties):
    statistic = next(one["MetricStat"] for one in properties["Metrics"] if "MetricStat" in one)
    first = {**statistic["Metric"], "Statistic": statistic["Stat"], "Period": statistic["Period"]}
    return {**{name: value for name, value in properties.items() if name != "Metrics"}, **first}


HANDLERS["AWS::CloudWatch::Alarm"].update(
    {one: simple(HANDLERS["AWS::CloudWatch::Alarm"][one]) for one in ("create", "update")}
)

# ---- The DKIM records of a mail identity do not exist ----
create_identity = HANDLERS["AWS::SES::EmailIdentity"]["create"]
RECORDS = {
    f"DkimDNSToken{kind}{number}": f"{kind.lower()}{number}.invalid"
    for kind in ("Name", "Value")
    for number in (1, 2, 3)
}
HANDLERS["AWS::SES::EmailIdentity"]["create"] = lambda *more: (
    (made := create_identity(*more))[0],
    {**made[1], **RECORDS},
)

# ---- An OpenAPI body: "any" methods are skipped, and a changed body makes another API with another address ----
ANY = "x-amazon-apigateway-any-method"
import_operation, update_api = gateway._import_operation, HANDLERS["AWS::ApiGateway::RestApi"]["update"]
gateway._OPENAPI_HTTP_METHODS.add(ANY)
gateway._import_operation = lambda api, path, method, *more: import_operation(
    api, path, "ANY" if method.lower() == ANY else method, *more
)


def overwrite_api(api, old, new, *more):
    if new.get("Body") != old.get("Body"):
        root = next(one for one in gateway._resources[api].values() if one["path"] == "/")
        gateway._resources[api] = {root["id"]: {**root, "resourceMethods": {}}}
        for path, item in new["Body"]["paths"].items():
            gateway._import_path_item(api, path, item)
    return update_api(api, {**old, "Body": new.get("Body")}, new, *more)


HANDLERS["AWS::ApiGateway::RestApi"]["update"] = overwrite_api


# ---- CloudFront refuses origins of AWS, although the gateway is an emulated one ----
forward_to_origin = cloudfront._forward_to_origin


def forward_to_gateway(origin, method, uri, query, headers, *more, **named):
    api, service, *_ = f"{origin['domain_name']}.".split(".")
    if service == "execute-api":
        port = int(os.environ["GATEWAY_PORT"])
        origin = {**origin, "domain_name": "127.0.0.1", "protocol_policy": "http-only", "http_port": port}
        headers = {**headers, "host": f"{api}.execute-api.localhost:{port}"}
    return forward_to_origin(origin, method, uri, query, headers, *more, **named)


cloudfront._forward_to_origin = forward_to_gateway

# ---- A second mapping of the same stream to the same function is not refused ----
create_mapping = make._lambda_esm_create


def create_mapping_once(logical_id, properties, stack):
    _, _, function, _ = make._lambda_function_for_cfn_ref(properties["FunctionName"])
    for id, one in functions._esms.items():
        if (one["EventSourceArn"], one["FunctionArn"]) == (properties["EventSourceArn"], function):
            raise ValueError(
                f"The event source arn and function provided mapping already exists. Please update or delete the mapping {id}"
            )
    return create_mapping(logical_id, properties, stack)


make._lambda_esm_create = HANDLERS["AWS::Lambda::EventSourceMapping"]["create"] = create_mapping_once


# ---- CodeDeploy does not exist. Its resources are only recorded ... ----
def recorded(name):
    return {
        "create": lambda logical_id, properties, stack: (
            properties.get(name) or f"{stack}-{logical_id}-{uuid.uuid4().hex[:12].upper()}",
            {},
        ),
        "update": lambda physical_id, *_: (physical_id, {}),
        "delete": lambda *_: None,
    }


HANDLERS["AWS::CodeDeploy::Application"] = recorded("ApplicationName")
# Nor can a firewall be put before the gateway.
HANDLERS["AWS::WAFv2::WebACLAssociation"] = recorded("")
HANDLERS["AWS::CodeDeploy::DeploymentGroup"] = recorded("DeploymentGroupName")

# ---- ... and aliases with such an UpdatePolicy move as CodeDeploy moves them: only from the version that the template
# before had, and only if the hook before traffic allows it. All traffic moves at once ----
deployments = {}
move_alias, on_thread = HANDLERS["AWS::Lambda::Alias"]["update"], stacks._runs_on_worker_thread
# The hook calls MiniStack itself, which must be able to answer meanwhile.
stacks._runs_on_worker_thread = lambda kind: kind == "AWS::Lambda::Alias" or on_thread(kind)


@functools.cache
def transformed(body):
    """The resources of a template as it was sent."""
    return engine._apply_transforms(engine._parse_template(body))["Resources"]


def update_policy(stack, logical_id):
    """The policy in the template that is being deployed, with the values of its references."""
    record = _stacks[stack]
    resource = transformed(record["_template_body"]).get(logical_id, {})
    raw = resource.get("UpdatePolicy", {}).get("CodeDeployLambdaAliasUpdate")
    parameters = {one["ParameterKey"]: {"Value": one["ParameterValue"]} for one in record["Parameters"]}
    return raw and engine._resolve_refs(
        raw, record["_resources"], parameters, record["_conditions"], {}, stack, record["StackId"]
    )


def move_alias_like_codedeploy(alias, old, new, stack, logical_id=None):
    policy = update_policy(stack, logical_id)
    if policy and old["FunctionVersion"] != new["FunctionVersion"]:
        function, name = alias.split(":")[-2:]
        present = functions._functions[function]["aliases"][name]["FunctionVersion"]
        if present not in (old["FunctionVersion"], new["FunctionVersion"]):
            raise ValueError(
                f"CodeDeploy: the alias {function}:{name} is at version {present}, not {old['FunctionVersion']}"
            )
        id = f"d-{uuid.uuid4().hex[:9].upper()}"
        deployments[id] = {
            "functionName": function,
            "functionAlias": name,
            "currentVersion": old["FunctionVersion"],
            "targetVersion": new["FunctionVersion"],
        }
        hook = policy.get("BeforeAllowTrafficHook")
        if isinstance(hook, str) and hook:
            record, config, _ = functions._get_func_record_for_ref(hook)
            result = functions._execute_function_with_config_scope(
                functions._execution_record_for_config(record, config),
                {"DeploymentId": id, "LifecycleEventHookExecutionId": id},
            )
            if deployments[id].get("status") != "Succeeded":
                raise ValueError(
                    f"CodeDeploy: {hook} refused {function} version {new['FunctionVersion']}: {result.get('body')}"
                )
    return move_alias(alias, old, new, stack, logical_id)


HANDLERS["AWS::Lambda::Alias"]["update"] = move_alias_like_codedeploy


async def codedeploy(_method, _path, headers, body, _query):
    """What a hook asks CodeDeploy."""
    request, action = json.loads(body), headers["x-amz-target"].split(".")[-1]
    deployment = deployments[request["deploymentId"]]
    if action == "PutLifecycleEventHookExecutionStatus":
        deployment["status"] = request["status"]
        return json_response({"lifecycleEventHookExecutionId": request["lifecycleEventHookExecutionId"]})
    target = f"{deployment['functionName']}:{deployment['functionAlias']}"
    if action == "ListDeploymentTargets":
        return json_response({"targetIds": [target]})
    info = {name: value for name, value in deployment.items() if name != "status"}
    return json_response(
        {
            "deploymentTargets": [
                {
                    "deploymentTargetType": "LambdaFunction",
                    "lambdaTarget": {"targetId": target, "lambdaFunctionInfo": info},
                }
            ]
        }
    )


app.SERVICE_HANDLERS["codedeploy"] = codedeploy
router.SERVICE_PATTERNS["codedeploy"] = {"target_prefixes": ["CodeDeploy_20141006"]}
