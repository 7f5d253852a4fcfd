//! `/submissions/{submission}/receipt/`, `/receipts/jwks.json`, `/receipts/verify/`

use axum::Json;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use shared::Context;
use shared::receipts::{PublicKeys, ReceiptClaims, ReceiptState, Receipts};
use shared::text::kinds::ReceiptText;
use shared::web::{
    ApiError, ChangedNothing, Input, Mode, PathIds, Reader, Result, User, is_officer,
};
use utoipa::ToSchema;

use crate::own::own_answered;

/// A receipt.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReceiptBody {
    /// The receipt: a signed statement (JWS) of what was submitted and when.
    receipt: String,
}

shared::input! {
    /// A receipt to be verified.
    pub struct VerifyInput {
        /// The receipt, as it was returned, at most 10,000 characters.
        receipt: ReceiptText, Required;
    }
}

/// The result of a verification.
#[derive(Debug, Serialize, ToSchema)]
pub struct VerifyBody {
    /// Whether this service signed the receipt.
    valid: bool,
    /// What the receipt states. Null if it is not valid.
    claims: Option<ReceiptClaims>,
    /// What is stored now. Missing if the receipt is not valid, or the caller is neither the
    /// applicant nor an officer of the club.
    #[serde(skip_serializing_if = "Option::is_none")]
    stored: Option<ReceiptState>,
}

fn signer(app: &Context) -> Result<&Receipts> {
    app.receipts()
        .ok_or_else(|| ApiError::Internal("the key of receipts cannot be made".into()))
}

/// Get the receipt of a submission of the caller.
///
/// For every signed-in user: the receipt of the present answers. It is the applicant's alone.
#[utoipa::path(
    get, path = "/api/submissions/{submission}/receipt/", tag = "own submissions",
    security(("bearer" = [])), params(("submission" = u64, Path)),
    responses((status = 200, body = ReceiptBody))
)]
pub async fn show_receipt(app: Context, user: User, path: PathIds) -> Result<Json<ReceiptBody>> {
    let submission = own_answered(&app, &user, &path).await?;
    let receipt = app.receipt_of(&submission).ok_or(ApiError::NotFound)?;
    Ok(Json(ReceiptBody { receipt }))
}

/// Get the public keys of receipts.
///
/// For everybody: a JSON Web Key Set (RFC 7517). With it, anybody can verify a receipt without this
/// service.
#[utoipa::path(
    get, path = "/api/receipts/jwks.json", tag = "receipts", security((), ("bearer" = [])),
    responses((status = 200, body = PublicKeys))
)]
pub async fn show_receipt_keys(app: Context) -> Result<Json<PublicKeys>> {
    Ok(Json(signer(&app)?.public_keys().clone()))
}

/// Verify a receipt.
///
/// For everybody. The applicant and the officers of the club also learn whether the submission is
/// still stored as the receipt states. Nothing is changed.
#[utoipa::path(
    post, path = "/api/receipts/verify/", tag = "receipts", security((), ("bearer" = [])),
    request_body = VerifyInput, responses((status = 200, body = VerifyBody))
)]
pub async fn verify_receipt(
    app: Context,
    user: Option<User>,
    Input(input): Input<VerifyInput>,
) -> Result<Response> {
    let mut reader = Reader::new(Mode::Create);
    let receipt = reader.get(input.receipt).unwrap_or_default();
    reader.finish()?;
    let claims = signer(&app)?.public_keys().verify(&receipt);
    let stored = match (&claims, &user) {
        (Some(claims), Some(user)) if may_know(&app, claims, user).await? => {
            Some(state(&app, claims).await?)
        }
        _ => None,
    };
    let body = VerifyBody {
        valid: claims.is_some(),
        claims,
        stored,
    };
    let mut response = Json(body).into_response();
    response.extensions_mut().insert(ChangedNothing);
    Ok(response)
}

/// Whether the caller is the applicant or an officer of the club.
async fn may_know(app: &Context, claims: &ReceiptClaims, user: &User) -> Result<bool> {
    if claims.sub == user.id().to_string() || user.is_admin() {
        return Ok(true);
    }
    let (_, membership) = app
        .table
        .club_and_membership(&claims.club, Some(user.id()))
        .await?;
    Ok(is_officer(
        membership.map(|membership| membership.role),
        false,
    ))
}

/// Compares a receipt with what is stored.
async fn state(app: &Context, claims: &ReceiptClaims) -> Result<ReceiptState> {
    let stored = app
        .table
        .stored_submission(claims.application, claims.submission)
        .await?;
    let answers = app.table.answers_of(&stored).await?;
    Ok(match ReceiptState::of(claims, &stored, answers.as_ref()) {
        // Its application may have been deleted.
        ReceiptState::Missing if app.table.is_deleted(claims.application).await? => {
            ReceiptState::Erased
        }
        state => state,
    })
}
