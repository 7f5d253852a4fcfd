//! Compares receipts of applicants with a table (T8).

use shared::db::{Table, TableError};
use shared::receipts::{PublicKeys, ReceiptClaims, ReceiptState};

/// What a receipt is worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reconciled {
    /// None of the keys signed it.
    Invalid,
    /// It is valid: what it states, and what is stored.
    Valid(ReceiptClaims, ReceiptState),
}

/// A receipt of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundReceipt {
    /// The line of the file, from 1.
    pub line: usize,
    /// What it is worth.
    pub outcome: Reconciled,
}

impl FoundReceipt {
    /// Whether an applicant has to be heard: a submission that was received is not stored.
    pub fn is_missing(&self) -> bool {
        matches!(
            self.outcome,
            Reconciled::Valid(_, ReceiptState::Missing) | Reconciled::Invalid
        )
    }

    /// Returns a sentence about it. It names people and submissions by ids only.
    pub fn sentence(&self) -> String {
        let line = self.line;
        match &self.outcome {
            Reconciled::Invalid => format!("line {line}: not a receipt of this service"),
            Reconciled::Valid(claims, state) => format!(
                "line {line}: {}: submission {}, revision {}, of person {} to application {} of {}, \
                 received at {}",
                format!("{state:?}").to_lowercase(),
                claims.submission,
                claims.revision,
                claims.sub,
                claims.application,
                claims.club,
                claims.received_at
            ),
        }
    }
}

/// Finds all receipts in a text, such as a list with one in each line or a mail, and compares them
/// with what is stored: 1 read for each.
pub async fn reconcile(
    table: &Table,
    keys: &PublicKeys,
    text: &str,
) -> Result<Vec<FoundReceipt>, TableError> {
    let mut found = Vec::new();
    for (i, line) in text.lines().enumerate() {
        for receipt in receipts(line) {
            let outcome = match keys.verify(receipt) {
                None => Reconciled::Invalid,
                Some(claims) => {
                    let state = state(table, &claims).await?;
                    Reconciled::Valid(claims, state)
                }
            };
            found.push(FoundReceipt {
                line: i + 1,
                outcome,
            });
        }
    }
    Ok(found)
}

/// The words of a line that have the form of a receipt.
fn receipts(line: &str) -> impl Iterator<Item = &str> {
    let part = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    line.split(move |c| !part(c))
        .filter(|word| word.starts_with("eyJ") && word.matches('.').count() == 2)
}

async fn state(table: &Table, claims: &ReceiptClaims) -> Result<ReceiptState, TableError> {
    let stored = table
        .stored_submission(claims.application, claims.submission)
        .await?;
    let answers = table.answers_of(&stored).await?;
    Ok(match ReceiptState::of(claims, &stored, answers.as_ref()) {
        ReceiptState::Missing if table.is_deleted(claims.application).await? => {
            ReceiptState::Erased
        }
        state => state,
    })
}
