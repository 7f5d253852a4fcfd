//! Counting again what the service counts, in all that is stored.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::TestCampus;

/// What a recount finds wrong: counters, owners, people twice, requests of members, and how often what admins keep is used.
pub fn recount(campus: &TestCampus) -> Vec<String> {
    let stored = campus.stored();
    let of = |kind: &'static str| stored.iter().filter(move |item| item["type"]["S"] == kind);
    let mut wrong = miscounted_uses(&stored);
    for club in of("Club") {
        let code = &club["code"]["S"];
        let number = |name: &str| club[name]["N"].as_str().and_then(|n| n.parse::<usize>().ok());
        let members: Vec<&Value> = of("Membership").filter(|item| item["club"]["S"] == *code).collect();
        let owners = members.iter().filter(|item| item["role"]["N"] == "0").count();
        if number("members") != Some(members.len()) || number("owners") != Some(owners) {
            wrong.push(format!("{code}: {} members, {owners} owners, but {club}", members.len()));
        }
        let favorites = of("Favorite").filter(|item| item["club"]["S"] == *code).count();
        if number("favorites") != Some(favorites) {
            wrong.push(format!("{code}: {favorites} favorites, but {club}"));
        }
        if owners == 0 && club["archived"]["BOOL"] == false {
            wrong.push(format!("{code} has no owner"));
        }
        let mut people: Vec<&str> = members.iter().filter_map(|item| item["person"]["N"].as_str()).collect();
        people.sort_unstable();
        people.dedup();
        if people.len() != members.len() {
            wrong.push(format!("{code} has somebody twice"));
        }
        let requests = of("MembershipRequest").filter(|item| item["club"]["S"] == *code);
        let answered = requests.filter(|item| item["person"]["N"].as_str().is_some_and(|person| people.contains(&person)));
        wrong.extend(answered.map(|item| format!("a member of {code} asks to join: {item}")));
    }
    wrong
}

fn number(value: &Value) -> String {
    value["N"].as_str().unwrap_or_default().to_owned()
}

fn numbers(list: &Value) -> impl Iterator<Item = String> {
    list["L"].as_array().into_iter().flatten().map(number)
}

/// What clubs, people and registrations refer to: type and id.
fn references(stored: &[Value]) -> impl Iterator<Item = (&'static str, String)> {
    let of = |kind: &'static str| stored.iter().filter(move |item| item["type"]["S"] == kind);
    let tags = of("Club").flat_map(|club| numbers(&club["profile"]["M"]["tags"])).map(|id| ("Tag", id));
    let badges = of("Club").flat_map(|club| numbers(&club["badges"])).map(|id| ("Badge", id));
    let schools = of("Person").flat_map(|person| numbers(&person["school"])).map(|id| ("School", id));
    let majors = of("Person").flat_map(|person| numbers(&person["major"])).map(|id| ("Major", id));
    let years = of("Person").map(|person| number(&person["graduation_year"])).filter(|year| !year.is_empty()).map(|id| ("YearUses", id));
    let fairs = of("Registration").map(|registration| ("Fair", number(&registration["fair"])));
    tags.chain(badges).chain(schools).chain(majors).chain(years).chain(fairs)
}

/// The entries that are not used as often as they say.
fn miscounted_uses(stored: &[Value]) -> Vec<String> {
    let mut counts: BTreeMap<(&str, String), i64> = BTreeMap::new();
    for reference in references(stored) {
        *counts.entry(reference).or_default() += 1;
    }
    let mut wrong = Vec::new();
    for kind in ["Tag", "Badge", "School", "Major", "YearUses", "Fair"] {
        for entry in stored.iter().filter(|item| item["type"]["S"] == kind) {
            let id = number(&entry[if kind == "YearUses" { "year" } else { "id" }]);
            let count = counts.remove(&(kind, id)).unwrap_or_default();
            if number(&entry["uses"]).parse() != Ok(count) {
                wrong.push(format!("{count} uses, but {entry}"));
            }
        }
    }
    wrong.extend(counts.keys().map(|(kind, id)| format!("no {kind} {id}, but it is used")));
    wrong
}
