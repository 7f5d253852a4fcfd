//! `/clubfairs/{fair}/register/`

use axum::response::Response;
use shared::Context;
use shared::db::{Refusal, TableError};
use shared::domain::{Fair, Registration};
use shared::reason::Reason;
use shared::time::Timestamp;
use shared::web::{
    ApiError, Code, Input, Mode, Reader, ReceivedAt, RequestedAt, Result, User, Visibility,
    is_officer, no_such_club,
};

use crate::clubfairs::{FairBody, shown};
use crate::reference_data::Entry;

shared::input! {
    /// A registration of a club for a fair.
    pub struct RegistrationInput {
        /// Code of the club.
        club: String, Required;
        /// False takes the club off the fair.
        status: bool, Free = true;
    }
}

/// Register a club for a fair, or take it off.
///
/// For officers of the club, while the registration is open. Admins may take a club off at any
/// time.
#[utoipa::path(
    post, path = "/api/clubfairs/{fair}/register/", tag = "clubfairs", security(("bearer" = [])),
    params(("fair" = u64, Path)), request_body = RegistrationInput,
    responses((status = 200, body = FairBody))
)]
pub async fn register_club(
    app: Context,
    ReceivedAt(received): ReceivedAt,
    RequestedAt(when): RequestedAt,
    user: User,
    Entry(mut fair, _): Entry<Fair>,
    Input(input): Input<RegistrationInput>,
) -> Result<Response> {
    let mut reader = Reader::new(Mode::Create);
    let code = reader.club(input.club);
    let mut status = true;
    reader.set(input.status, &mut status);
    reader.finish()?;
    let registration = Registration {
        fair: fair.id,
        club: code.clone(),
        created_at: when.at,
        received: when.received,
    };
    let mut retries = app.table.retries();
    loop {
        retries.next().await?;
        let club = app.table.club_and_membership(&code, Some(user.id()));
        let ((club, membership), registered) =
            futures::try_join!(club, app.table.registration(fair.id, &code))?;
        let visibility = Visibility::with(membership.as_ref(), user.is_admin());
        // Admins may take clubs off a fair at any time, also deleted ones (F6).
        let may_tidy = user.is_admin() && !status;
        let is_there = |club: &_| visibility.sees(club) || may_tidy;
        club.filter(is_there).ok_or_else(no_such_club)?;
        if !is_officer(
            membership.as_ref().map(|membership| membership.role),
            user.is_admin(),
        ) {
            return Err(ApiError::Forbidden);
        }
        if !may_tidy && !fair.value.takes_clubs(Timestamp::at(received)) {
            return Err(ApiError::rule(Reason::RegistrationClosed).coded(Code::RegistrationClosed));
        }
        let is_later = |there: &Registration| there.received > registration.received;
        // What was decided after this request was received is kept.
        if registered.is_some() == status || registered.as_ref().is_some_and(is_later) {
            return shown(&app, &user, &fair).await;
        }
        let current = registered.as_ref().unwrap_or(&registration);
        let by = membership.as_ref().filter(|_| !user.is_admin());
        match app.table.register(current, status, by).await {
            Ok(()) | Err(TableError::Refused(Refusal::Deleted)) => {
                return shown(&app, &user, &fair)
                    .await
                    .map_err(ApiError::after_write);
            }
            Err(TableError::Refused(_)) => {
                fair = app
                    .table
                    .reference(fair.id)
                    .await?
                    .ok_or(ApiError::NotFound)?;
            }
            Err(error) => return Err(error.into()),
        }
    }
}
