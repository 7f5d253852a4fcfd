//! `…/submissions/{submission}/resend/`: the mail to an applicant that did not arrive (E36)

use shared::Context;
use shared::domain::{Application, MailOwner, Submission};
use shared::web::scopes::MailSend;
use shared::web::{NoContent, Officer, Result, applicant_erased, has_address};

/// Send a mail to an applicant again that did not arrive.
///
/// For officers. It is the one in `undelivered`, to the address that the applicant has now, unless a
/// later mail told something else. If there is none, nothing happens.
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
    if let Some(undelivered) = &submission.undelivered {
        let applicant = submission.applicant.as_ref().ok_or_else(applicant_erased)?;
        let to = has_address(&applicant.personal.email)?;
        let owner = MailOwner::of(&submission);
        let again = app
            .table
            .send_mail_again(&owner, undelivered, to, app.now());
        again.await?;
    }
    Ok(NoContent)
}
