use serde::{Deserialize, Serialize};

use super::{Email, Major, School};
use crate::ids::Id;
use crate::time::Timestamp;

/// A profile: who somebody is, from their token, and what they say of themselves (P6, P9).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Person {
    /// Derived from issuer and subject.
    pub id: Id<Person>,
    /// What the token says.
    pub personal: Personal,
    /// The `iat` of the token that it was taken from: an older token never overwrites a newer one.
    pub token_issued_at: i64,
    /// The year of graduation, as the person says it.
    pub graduation_year: Option<u16>,
    /// Ids of the schools that the person says to be in, in order.
    #[serde(default)]
    pub school: Vec<Id<School>>,
    /// Ids of the majors, likewise.
    #[serde(default)]
    pub major: Vec<Id<Major>>,
    /// A picture.
    pub image_url: Option<String>,
    /// A hash of issuer and subject, all of it: ids have 53 bits, and an issuer may let people
    /// choose their subject.
    pub subject: String,
    /// Clubs that they created, deleted ones too.
    pub clubs_created: i64,
    /// Clubs that they own, deleted ones too.
    pub clubs_owned: i64,
    /// First request.
    pub created_at: Timestamp,
    /// Whether their erasure has begun: nothing is stored of them any more.
    #[serde(default)]
    pub erasing: bool,
}

/// What is left of somebody who was erased and had created clubs: how many, so that they do not
/// begin at none when they come back.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Creations {
    /// User id.
    pub person: Id<Person>,
    /// Clubs that they created.
    pub clubs_created: i64,
}

/// What a token says of a person; copied to where lists need it, and kept fresh there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Personal {
    /// The user name of the university.
    pub username: String,
    /// The whole name.
    pub name: String,
    /// First name.
    pub first_name: String,
    /// Last name.
    pub last_name: String,
    /// The address, or empty.
    pub email: Email,
}

/// A person under one word that they are found by (P12).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PersonWord {
    /// A word of the name, or the user name; folded.
    pub word: String,
    /// User id.
    pub person: Id<Person>,
    /// Who it is; kept equal to the profile.
    pub personal: Personal,
}

/// A person under their e-mail address.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PersonAddress {
    /// The address, in lower case.
    pub address: String,
    /// User id.
    pub person: Id<Person>,
}
