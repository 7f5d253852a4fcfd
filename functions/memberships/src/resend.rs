//! `/clubs/{club}/members/{member}/resend/`: the mail to a member that did not arrive (E36)

use shared::Context;
use shared::domain::MailOwner;
use shared::web::scopes::MailSend;
use shared::web::{NoContent, Officer, Result, has_address};

use crate::member::MemberOfPath;

/// Send a mail to a member again that did not arrive.
///
/// For officers. It is the one in `undelivered`, to the address that they have now. If there is
/// none, nothing happens.
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
    if let Some(undelivered) = &member.undelivered {
        let to = has_address(&member.personal.email)?;
        let owner = MailOwner::of(&member);
        let again = app
            .table
            .send_mail_again(&owner, undelivered, to, app.now());
        again.await?;
    }
    Ok(NoContent)
}
