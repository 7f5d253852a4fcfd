//! Proves O1.

use std::collections::BTreeSet;

use serde_json::json;

#[test]
fn the_document_is_made_from_the_routes() {
    let document = local::api().1;
    let text = document.to_pretty_json().expect("a document");
    super::check("docs/openapi.json", &format!("{text}\n"));
}

#[test]
fn operation_ids_are_unique_and_every_reference_leads_somewhere() {
    let document = json!(local::api().1);
    let mut ids = BTreeSet::new();
    for item in document["paths"]
        .as_object()
        .into_iter()
        .flat_map(|paths| paths.values())
    {
        for operation in item
            .as_object()
            .into_iter()
            .flat_map(|operations| operations.values())
        {
            let id = operation["operationId"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            assert!(
                operation["summary"].is_string(),
                "{id} has no documentation"
            );
            assert!(ids.insert(id.clone()), "{id} is there twice");
        }
    }
    let text = document.to_string();
    for reference in text.split("\"#/components/schemas/").skip(1) {
        let name = reference.split('"').next().unwrap_or_default();
        assert!(
            document["components"]["schemas"].get(name).is_some(),
            "{name} is missing"
        );
    }
}
