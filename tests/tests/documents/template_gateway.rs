//! template.yaml agrees with the code: what the gateway routes and what the edge caches.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use tests::template::Function;

use crate::template::{deployments, template};

// What one caller may see is not given to another one from the cache at the edge (V20).
// proves V20
#[test]
fn only_public_lists_and_calendars_are_cached_at_the_edge() {
    let template = template();
    let delivery = &template.resources()["Delivery"]["Properties"]["DistributionConfig"];
    let disabled = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad";
    let behaviours = delivery["CacheBehaviors"].as_array().expect("behaviours");
    // The policies of AWS that send Strict-Transport-Security and nosniff.
    let secure = [
        json!("67f7725c-6f97-4210-82d7-5512b31e9d03"),
        json!("eaab4381-ed33-4a86-88ca-d9558dc6cd63"),
    ];
    for one in behaviours.iter().chain([&delivery["DefaultCacheBehavior"]]) {
        assert!(secure.contains(&one["ResponseHeadersPolicyId"]), "{one}");
    }
    let of_api = behaviours.iter().filter_map(|one| {
        let path = one["PathPattern"]
            .as_str()
            .filter(|path| path.starts_with("/api"));
        Some((path?, &one["CachePolicyId"]))
    });
    let (calendars, lists) = (json!("clubs-CalendarCache"), json!("clubs-ListCache"));
    let expected = [
        ("/api/events.ics", &calendars),
        ("/api/clubs/*/events.ics", &calendars),
        ("/api/clubs/", &lists),
        ("/api/events/", &lists),
        ("/api/*", &json!(disabled)),
    ];
    assert_eq!(of_api.collect::<Vec<_>>(), expected);
    for (name, seconds) in [("CalendarCache", 300), ("ListCache", 60)] {
        let policy = &template.resources()[name]["Properties"]["CachePolicyConfig"];
        // Without a policy of the answer, nothing is kept.
        for (bound, seconds) in [("MinTTL", 0), ("DefaultTTL", 0), ("MaxTTL", seconds)] {
            assert_eq!(policy[bound], seconds, "{name} {bound}");
        }
        let key = &policy["ParametersInCacheKeyAndForwardedToOrigin"];
        // Nothing that an anonymous caller chooses, so that nobody can pass around the cache.
        let headers = &key["HeadersConfig"]["Headers"];
        assert_eq!(headers, &json!(["Authorization"]), "{name}");
    }
    let lists = &template.resources()["ListCache"]["Properties"]["CachePolicyConfig"];
    assert_eq!(
        lists["ParametersInCacheKeyAndForwardedToOrigin"]["QueryStringsConfig"]["QueryStringBehavior"],
        "all"
    );
    let errors = delivery["CustomErrorResponses"].as_array().expect("errors");
    assert!(errors.iter().all(|error| error["ErrorCachingMinTTL"] == 0));
    assert!(
        [404, 500, 503]
            .iter()
            .all(|code| { errors.iter().any(|error| error["ErrorCode"] == *code) })
    );
}

// A page differs by its language, and by whether a browser asks (O22).
// proves O22
#[test]
fn pages_are_kept_at_the_edge_by_language_and_for_a_minute() {
    let template = template();
    let resources = template.resources();
    let delivery = &resources["Delivery"]["Properties"]["DistributionConfig"];
    let policy = &delivery["DefaultCacheBehavior"]["CachePolicyId"];
    assert_eq!(policy, "clubs-PageCache");
    let policy = &resources["PageCache"]["Properties"]["CachePolicyConfig"];
    for (bound, seconds) in [("MinTTL", 0), ("DefaultTTL", 0), ("MaxTTL", 60)] {
        assert_eq!(policy[bound], seconds, "{bound}");
    }
    let key = &policy["ParametersInCacheKeyAndForwardedToOrigin"];
    assert_eq!(
        key["HeadersConfig"]["Headers"],
        json!(["Accept", "Accept-Language"])
    );
    assert_eq!(key["QueryStringsConfig"]["QueryStringBehavior"], "all");
    // The function that writes both in one word runs always. `edge.test.mjs` runs it.
    let at_edge = &delivery["DefaultCacheBehavior"]["FunctionAssociations"][0]["FunctionARN"];
    assert_eq!(at_edge, "viewerrequest.functionarn.example");
}

fn by_binary(functions: &BTreeMap<String, Function>) -> BTreeMap<&str, &Function> {
    functions
        .values()
        .filter(|function| function.name != "MailReports")
        .map(|function| (function.binary.as_str(), function))
        .collect()
}

/// Whatever form of a path a client invents, the firewall counts its address.
// proves O16
#[test]
fn gateway_passes_the_clients_address() {
    let template = tests::template::SamTemplate::load("clubs", &[("Waf", "yes")]);
    let delivery = &template.resources()["Delivery"]["Properties"]["DistributionConfig"];
    let behaviours = delivery["CacheBehaviors"].as_array().expect("behaviours");
    for one in behaviours.iter().chain([&delivery["DefaultCacheBehavior"]]) {
        let is_counted = one["FunctionAssociations"][0]["EventType"] == "viewer-request";
        let is_of_gateway = one["TargetOriginId"] == "gateway";
        assert_eq!(is_counted, is_of_gateway, "{one}");
        // The managed policy that sends all headers but Host.
        let sends_headers = one["OriginRequestPolicyId"] == "b689b0a8-53d0-40ab-baf2-68738e2966ac";
        assert_eq!(sends_headers, is_of_gateway, "{one}");
    }
}

#[test]
fn operations_are_routed_to_their_function() {
    let functions = template().functions();
    let functions = by_binary(&functions);
    let names: BTreeSet<&str> = functions.keys().copied().collect();
    assert_eq!(
        names,
        BTreeSet::from([
            "applications",
            "changes",
            "clubs",
            "events",
            "mailer",
            "notices",
            "memberships",
            "site",
            "submissions",
            "tickets",
            "webhooks"
        ])
    );
    for (function, routes) in local::GROUPS {
        let document = json!(routes().split_for_parts().1);
        let served: BTreeSet<String> = document["paths"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(path, _)| path.trim_end_matches('/').to_owned())
            .collect();
        let function = functions[function];
        let routed: BTreeSet<String> = function.paths.iter().cloned().collect();
        assert_eq!(routed, served, "{}", function.name);
    }
    // Everything else is for the site.
    assert_eq!(functions["site"].paths, ["/", "/{proxy+}"]);
}

#[test]
fn one_parent_has_one_variable_segment() {
    let mut names: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in local::document()["paths"]
        .as_object()
        .into_iter()
        .flat_map(|paths| paths.keys())
    {
        let segments: Vec<&str> = path.split('/').collect();
        for (i, segment) in segments
            .iter()
            .enumerate()
            .filter(|(_, segment)| segment.starts_with('{'))
        {
            names
                .entry(segments[..i].join("/"))
                .or_default()
                .insert((*segment).to_owned());
        }
    }
    assert!(
        names.values().all(|variables| variables.len() == 1),
        "the gateway refuses this: {names:?}"
    );
}

// proves H6
#[test]
fn errors_of_the_gateway_have_a_detail() {
    for template in deployments() {
        let api = template.resource("Api").expect("an API");
        let responses = api["Properties"]["GatewayResponses"]
            .as_object()
            .expect("responses")
            .clone();
        for (name, response) in responses {
            let body = response["ResponseTemplates"]["application/json"]
                .as_str()
                .expect("a body");
            let body = body.replace("$context.error.messageString", "\"Text\"");
            let body: Value =
                serde_json::from_str(&body).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(body["detail"].is_string(), "{name}");
            let origin = &response["ResponseParameters"]["Headers"]["Access-Control-Allow-Origin"];
            assert_eq!(
                origin.as_str(),
                template.holds("HasCors").then_some("'https://a'"),
                "{name}"
            );
        }
    }
}
