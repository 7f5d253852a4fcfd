//! Mails about memberships: the invitation, the request that officers hear of, the answer to it
//! (I4, R4, M6).

use crate::html::{escape, to_text};
use crate::models::{
    Club, EmailStatus, Invite, Mail, Membership, MembershipRequest, Personal, Role,
};
use crate::time::Timestamp;

/// What one of these mails is about: with its kind, its key in the outbox.
struct Occasion {
    about: u64,
    sequence: u64,
    kind: &'static str,
}

fn mail(
    occasion: Occasion,
    (person, to): (Option<u64>, &str),
    club: &Club,
    subject: &str,
    html: String,
    now: Timestamp,
) -> Mail {
    Mail {
        about: occasion.about,
        sequence: occasion.sequence,
        kind: occasion.kind.to_owned(),
        attempt: 1,
        status: EmailStatus::Queued,
        person,
        to: to.to_owned(),
        reply_to: Some(club.profile.email.clone()).filter(|email| !email.is_empty()),
        subject: subject.chars().filter(|c| !c.is_control()).collect(),
        text: to_text(&html),
        html,
        decision: None,
        invite: None,
        queued_at: now,
        claimed_at: None,
        outcome: None,
        report: None,
    }
}

fn as_role(role: Role) -> &'static str {
    match role {
        Role::Owner => ", as an owner",
        Role::Officer => ", as an officer",
        Role::Member => "",
    }
}

/// The invitation to join a club; the worker adds the link. One a version of the invite. An inviter
/// who does not want to be shown is not named.
pub fn invitation(club: &Club, inviter: Option<&Personal>, invite: &Invite) -> Mail {
    let name = &club.profile.name;
    let title = if invite.title.is_empty() {
        String::new()
    } else {
        format!(" ({})", escape(&invite.title))
    };
    let who = inviter.map_or_else(
        || "You are invited".to_owned(),
        |inviter| format!("{} invites you", escape(&inviter.name)),
    );
    let html = format!(
        "<p>Hello,</p><p>{who} to join <b>{}</b>{}{title}.</p>",
        escape(name),
        as_role(invite.role)
    );
    let about = crate::ids::derived("invitation", &[&club.code, &invite.id]);
    let occasion = Occasion {
        about,
        sequence: invite.version,
        kind: "invitation",
    };
    let mail = mail(
        occasion,
        (None, &invite.email),
        club,
        &format!("Invitation to join {name}"),
        html,
        invite.updated_at,
    );
    Mail {
        invite: Some((club.code.clone(), invite.id.clone(), invite.version)),
        ..mail
    }
}

/// What an officer hears when somebody asks to join. One an officer and time.
pub fn requested(club: &Club, officer: &Membership, request: &MembershipRequest) -> Mail {
    let (name, asking) = (&club.profile.name, &request.applicant.personal);
    let html = format!(
        "<p>Dear {},</p><p>{} ({}) would like to join <b>{}</b>. There may be more requests: for the next hour you will not be \
         told of them one by one.</p><p>Add them as a member to accept, or reject the request.</p>",
        escape(&officer.personal.first_name),
        escape(&asking.name),
        escape(&asking.username),
        escape(name)
    );
    let at = u64::try_from(request.created_at.epoch_seconds()).unwrap_or_default();
    let occasion = Occasion {
        about: officer.id,
        sequence: at,
        kind: "request",
    };
    mail(
        occasion,
        (Some(officer.person), &officer.personal.email),
        club,
        &format!("Membership request for {name}"),
        html,
        request.created_at,
    )
}

/// What somebody hears whom an officer adds, as the occasion `sequence`. An officer who does not
/// want to be shown is not named.
pub fn joined(
    club: &Club,
    by: Option<&Personal>,
    membership: &Membership,
    asked: bool,
    sequence: u64,
) -> Mail {
    let name = &club.profile.name;
    let who = by.map_or_else(|| "An officer".to_owned(), |by| escape(&by.name));
    let answer = if asked {
        "<p>your request was accepted.</p>"
    } else {
        ""
    };
    let html = format!(
        "<p>Dear {},</p>{answer}<p>{who} added you: you are a member of <b>{}</b> now{}.</p>\
         <p>If you do not want that, you can leave the club at any time, in the list of your memberships.</p>",
        escape(&membership.personal.first_name),
        escape(name),
        as_role(membership.role)
    );
    let occasion = Occasion {
        about: membership.id,
        sequence,
        kind: "joined",
    };
    mail(
        occasion,
        (Some(membership.person), &membership.personal.email),
        club,
        &format!("Welcome to {name}"),
        html,
        membership.created_at,
    )
}
