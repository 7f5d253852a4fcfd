//! Mails about memberships: invitations, notices of membership requests to officers, and
//! notices to people whom an officer added (I4, R4, M6).

use askama::Template;

use super::decision::Message;
use super::{Bodies, Occasion, mail, rendered};
use crate::domain::{
    Club, Invite, InviteLink, Mail, MailKind, MailOwner, Membership, MembershipRequest, Personal,
    RequestNews, Role,
};

templates! {
    InvitationHtml "mail/invitation.html" InvitationText "mail/invitation.txt" {
        inviter: Option<&'a str>, club: &'a str, as_role: &'a str, title: &'a str
    },
    RequestHtml "mail/request.html" RequestText "mail/request.txt" {
        officer: &'a str, who: &'a str, club: &'a str, link: &'a str
    },
    JoinedHtml "mail/joined.html" JoinedText "mail/joined.txt" {
        name: &'a str, asked: bool, by: Option<&'a str>, club: &'a str, as_role: &'a str,
        link: &'a str, own: &'a str
    }
}

fn as_role(role: Role) -> &'static str {
    match role {
        Role::Owner => ", as an owner",
        Role::Officer => ", as an officer",
        Role::Member => "",
    }
}

/// Returns an invitation to join a club. The mail worker adds the link. There is one mail for each
/// version of the invite. An inviter who is not public is not named.
pub fn invitation(club: &Club, inviter: Option<&Personal>, invite: &Invite) -> Mail {
    let name = &club.profile.name;
    let bodies = InvitationHtml::bodies(
        inviter.map(|inviter| inviter.name.as_str()),
        name,
        as_role(invite.role),
        &invite.title,
    );
    let about = crate::ids::derived("invitation", &[&club.code, &invite.id]);
    let occasion = Occasion {
        about,
        sequence: invite.version,
        kind: MailKind::Invitation,
        owner: MailOwner::of(invite).with("version", invite.version),
    };
    let mail = mail(
        occasion,
        None,
        &invite.email,
        &club.profile.email,
        &format!("Invitation to join {name}"),
        bodies,
        invite.updated_at,
    );
    Mail {
        invite: Some(InviteLink {
            club: club.code.clone(),
            invite: invite.id.clone(),
            version: invite.version,
            is_new: true,
        }),
        ..mail
    }
}

/// Returns the mail that notifies an officer of a membership request. There is one mail for each
/// officer and request. Its text, with the name of who asks, is made when it is sent.
pub fn requested(club: &Club, officer: &Membership, request: &MembershipRequest) -> Mail {
    let name = &club.profile.name;
    let occasion = Occasion {
        about: officer.id.get(),
        sequence: request.creation,
        kind: MailKind::Request,
        owner: MailOwner::of(officer).with("creation", officer.creation),
    };
    let mail = mail(
        occasion,
        Some(officer.person),
        &officer.personal.email,
        &club.profile.email,
        &format!("Membership request for {name}"),
        Bodies::default(),
        request.created_at,
    );
    Mail {
        request: Some(RequestNews {
            club: club.code.clone(),
            club_name: name.clone(),
            officer: officer.personal.first_name.clone(),
            request: request.id,
        }),
        ..mail
    }
}

impl RequestNews {
    /// Returns the mail with the name of who asks to join, and the page of the site where requests
    /// are decided.
    pub fn message(&self, subject: String, asking: &Personal, site: &str) -> Message {
        let who = format!("{} ({})", asking.name, asking.username);
        let link = format!("{site}/clubs/{}/manage/", self.club);
        let Bodies { html, text } =
            RequestHtml::bodies(&self.officer, &who, &self.club_name, &link);
        Message {
            subject,
            html,
            text,
        }
    }
}

/// Returns the mail for somebody whom an officer has added. `sequence` distinguishes several such
/// mails to one member. An officer who is not public is not named. `site` is the base of links.
pub fn joined(
    (club, site): (&Club, &str),
    by: Option<&Personal>,
    membership: &Membership,
    asked: bool,
    sequence: u64,
) -> Mail {
    let name = &club.profile.name;
    let bodies = JoinedHtml::bodies(
        &membership.personal.first_name,
        asked,
        by.map(|by| by.name.as_str()),
        name,
        as_role(membership.role),
        &format!("{site}/clubs/{}/", club.code),
        &format!("{site}/memberships/"),
    );
    let occasion = Occasion {
        about: membership.id.get(),
        sequence,
        kind: MailKind::Joined,
        owner: MailOwner::of(membership).with("creation", membership.creation),
    };
    mail(
        occasion,
        Some(membership.person),
        &membership.personal.email,
        &club.profile.email,
        &format!("Welcome to {name}"),
        bodies,
        membership.created_at,
    )
}
