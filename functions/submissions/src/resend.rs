//! `…/submissions/{submission}/resend/`: the mail to an applicant that did not arrive (E36)

use shared::Context;
use shared::domain::{Application, MailKind, MailOwner, Submission};
use shared::web::scopes::MailSend;
use shared::web::{NoContent, Officer, Result, applicant_erased, has_address, resent};

/// Send a mail to an applicant again that did not arrive.
///
/// For officers. It is the one in `undelivered`, to the address that the applicant has now, at most
/// three times. If there is none, or if it is not true any more, nothing is sent.
#[utoipa::path(
    post, tag = "mails", security(("bearer" = []), ("token" = ["mail:send"])),
    path = "/api/clubs/{club}/applications/{application}/submissions/{submission}/resend/",
    params(("club" = String, Path), ("application" = u64, Path), ("submission" = u64, Path)),
    responses((status = 204))
)]
pub async fn resend_to_applicant(
    app: Context,
    scope: Officer<MailSend, Application, Submission>,
) -> Result<NoContent> {
    let submission = scope.object;
    let Some(undelivered) = &submission.undelivered else {
        return Ok(NoContent);
    };
    let (owner, mail) = (MailOwner::of(&submission), &undelivered.mail);
    // It would confirm answers that were replaced.
    if mail.kind == MailKind::Confirmation && mail.attempt != submission.revision {
        app.table.hide_undelivered(&owner, undelivered).await?;
        return Ok(NoContent);
    }
    let applicant = submission.applicant.as_ref().ok_or_else(applicant_erased)?;
    let to = has_address(&applicant.personal.email)?;
    let table = &app.table;
    let outcome = table.send_mail_again(&owner, undelivered, None, to, app.now());
    resent(outcome.await?)?;
    Ok(NoContent)
}
