//! The documents: what they link to exists.

use std::fs;
use std::path::Path;

/// The targets of the links of a document, without anchors and without other sites.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split([')', '#']).next())
        .filter(|target| !target.is_empty() && !target.contains("://"))
}

#[test]
fn every_link_of_a_document_leads_to_a_file() {
    let mut found = 0;
    for folder in [crate::root(), crate::root().join("docs")] {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "md") {
                continue;
            }
            for target in targets(&fs::read_to_string(&path).unwrap()) {
                found += 1;
                let exists = folder.join(Path::new(target)).exists();
                assert!(exists, "{} links to {target}", path.display());
            }
        }
    }
    assert!(found > 50, "the documents were not understood");
}
