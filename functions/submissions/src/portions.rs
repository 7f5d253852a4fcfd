//! Splits what one person is told about many submissions into several mails (E30).

use shared::domain::Submission;
use shared::limits;

/// Splits the submissions of a person into those of single mails. Each mail is one transaction, and
/// DynamoDB allows 100 writes and 4 MB of changed items in it.
pub fn portions<T>(all: &[T], submission: impl Fn(&T) -> &Submission) -> Vec<&[T]> {
    let mut portions = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (i, one) in all.iter().enumerate() {
        let size = submission(one).answers.size();
        let is_full =
            i - start == limits::SUBMISSIONS_PER_MAIL || bytes + size > limits::MAIL_ANSWERS;
        if i > start && is_full {
            portions.push(&all[start..i]);
            (start, bytes) = (i, 0);
        }
        bytes += size;
    }
    if start < all.len() {
        portions.push(&all[start..]);
    }
    portions
}
