//! `/clubs/{club}/members/{member}/resend/`: the mail to a member that did not arrive (E36)

use shared::Context;
use shared::domain::{MailKind, MailOwner, Role};
use shared::mail::joined;
use shared::web::scopes::MailSend;
use shared::web::{NoContent, Officer, Result, has_address, resent};

use crate::member::MemberOfPath;

/// Send a mail to a member again that did not arrive.
///
/// For officers. It is the one in `undelivered`, to the address that they have now, at most three
/// times. If there is none, or if it is for officers and they are none any more, nothing is sent.
#[utoipa::path(
    post, path = "/api/clubs/{club}/members/{member}/resend/", tag = "members",
    security(("bearer" = []), ("token" = ["mail:send"])),
    params(
        ("club" = String, Path),
        ("member" = String, Path, description = "Id of the membership, or user name")
    ),
    responses((status = 204))
)]
pub async fn resend_to_member(
    app: Context,
    scope: Officer<MailSend, (), MemberOfPath>,
) -> Result<NoContent> {
    let MemberOfPath(member) = scope.object;
    let Some(undelivered) = &member.undelivered else {
        return Ok(NoContent);
    };
    let (owner, kind) = (MailOwner::of(&member), undelivered.mail.kind);
    let is_for_officers = matches!(kind, MailKind::Request | MailKind::Webhook);
    if is_for_officers && member.role == Role::Member {
        app.table.hide_undelivered(&owner, undelivered).await?;
        return Ok(NoContent);
    }
    let to = has_address(&member.personal.email)?;
    let site = &app.settings.addresses.site_url;
    let again = || joined((&scope.club, site), None, &member, false, app.next_id());
    let instead = (kind == MailKind::Joined).then(again);
    let table = &app.table;
    let outcome = table.send_mail_again(&owner, undelivered, instead, to, app.now());
    resent(outcome.await?)?;
    Ok(NoContent)
}
