//! Checks of counters.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::finding::{Finding, Repair};
use crate::{StoredItems, label, number, text};

/// A finding if an attribute is not `count`.
fn counter(item: &Value, attribute: &'static str, count: usize, text: String) -> Option<Finding> {
    let value = json!({ "N": count.to_string() });
    let is_right = number(&item[attribute]).parse() == Ok(count);
    (!is_right).then(|| Finding {
        text,
        repair: Some(Repair::SetCount {
            item: item.clone(),
            attribute,
            value,
        }),
    })
}

/// Clubs with wrong counters, without an owner, with the same person twice, or with a membership
/// request of a member.
pub(crate) fn clubs(stored: &StoredItems) -> Vec<Finding> {
    let mut wrong = Vec::new();
    let mut by_club: BTreeMap<&str, [Vec<&Value>; 5]> = BTreeMap::new();
    let kinds = [
        "Membership",
        "Favorite",
        "MembershipRequest",
        "Event",
        "Application",
    ];
    for (n, kind) in kinds.into_iter().enumerate() {
        for item in stored.of(kind) {
            by_club.entry(text(&item["club"])).or_default()[n].push(item);
        }
    }
    for club in stored.of("Club") {
        let code = text(&club["code"]);
        let [members, favorites, requests, events, applications] =
            by_club.remove(code).unwrap_or_default();
        let owners = members
            .iter()
            .filter(|member| number(&member["role"]) == "0")
            .count();
        let counts = [
            ("members", members.len()),
            ("owners", owners),
            ("favorites", favorites.len()),
            ("events", events.len()),
            ("applications", applications.len()),
        ];
        for (name, count) in counts {
            wrong.extend(counter(
                club,
                name,
                count,
                format!(
                    "club {code} counts {} {name}, but has {count}",
                    number(&club[name])
                ),
            ));
        }
        let has_none_yet = club["without_owner"]["BOOL"] == true;
        if owners == 0 && club["archived"]["BOOL"] == false && !has_none_yet {
            wrong.push(format!("club {code} has no owner").into());
        }
        let people: BTreeSet<&str> = members
            .iter()
            .map(|member| number(&member["person"]))
            .collect();
        if people.len() != members.len() {
            wrong.push(format!("club {code} has the same person twice").into());
        }
        let obsolete = requests
            .iter()
            .filter(|request| people.contains(number(&request["person"])));
        wrong.extend(
            obsolete.map(|request| format!("{}: the person is a member", label(request)).into()),
        );
    }
    wrong.extend(
        by_club
            .keys()
            .map(|code| format!("there is no club {code}, but items belong to it").into()),
    );
    wrong
}

/// People whose profile counts the owned clubs wrongly.
pub(crate) fn owners(stored: &StoredItems) -> Vec<Finding> {
    let mut owned: BTreeMap<&str, usize> = BTreeMap::new();
    for member in stored
        .of("Membership")
        .filter(|member| number(&member["role"]) == "0")
    {
        *owned.entry(number(&member["person"])).or_default() += 1;
    }
    let wrong = stored.of("Person").filter_map(|person| {
        let count = owned
            .get(number(&person["id"]))
            .copied()
            .unwrap_or_default();
        let text = format!(
            "{} counts {} owned clubs, but the person owns {count}",
            label(person),
            number(&person["clubs_owned"])
        );
        counter(person, "clubs_owned", count, text)
    });
    wrong.collect()
}

fn numbers(list: &Value) -> impl Iterator<Item = String> {
    list["L"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|value| number(value).to_owned())
}

/// The references of clubs, people and registrations: type and id.
fn references(stored: &StoredItems) -> impl Iterator<Item = (&'static str, String)> {
    let tags = stored
        .of("Club")
        .flat_map(|club| numbers(&club["profile"]["M"]["tags"]))
        .map(|id| ("Tag", id));
    let badges = stored
        .of("Club")
        .flat_map(|club| numbers(&club["badges"]))
        .map(|id| ("Badge", id));
    let schools = stored
        .of("Person")
        .flat_map(|person| numbers(&person["school"]))
        .map(|id| ("School", id));
    let majors = stored
        .of("Person")
        .flat_map(|person| numbers(&person["major"]))
        .map(|id| ("Major", id));
    let years = stored
        .of("Person")
        .map(|person| number(&person["graduation_year"]).to_owned());
    let years = years
        .filter(|year| !year.is_empty())
        .map(|year| ("YearUses", year));
    let fairs = stored
        .of("Registration")
        .map(|registration| ("Fair", number(&registration["fair"]).to_owned()));
    tags.chain(badges)
        .chain(schools)
        .chain(majors)
        .chain(years)
        .chain(fairs)
}

/// Entries that count their uses wrongly, and references to entries that do not exist.
pub(crate) fn uses(stored: &StoredItems) -> Vec<Finding> {
    let mut counts: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for reference in references(stored) {
        *counts.entry(reference).or_default() += 1;
    }
    let mut wrong = Vec::new();
    for kind in ["Tag", "Badge", "School", "Major", "YearUses", "Fair"] {
        for entry in stored.of(kind) {
            let id = number(&entry[if kind == "YearUses" { "year" } else { "id" }]).to_owned();
            let count = counts.remove(&(kind, id)).unwrap_or_default();
            let text = format!(
                "{} counts {} uses, but has {count}",
                label(entry),
                number(&entry["uses"])
            );
            wrong.extend(counter(entry, "uses", count, text));
        }
    }
    wrong.extend(
        counts
            .keys()
            .map(|(kind, id)| format!("there is no {kind} {id}, but it is used").into()),
    );
    wrong
}
