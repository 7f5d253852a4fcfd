//! The files of the demo campus: small CVs.

use std::fmt::Write as _;

use object_store::path::Path;
use object_store::{ObjectStoreExt as _, PutPayload};
use shared::db::TableError;
use shared::domain::{AnswerFile, Answered, Attachment, FileFormat, Person};
use shared::ids::{Id, sha256_hex};

use crate::Campus;

/// A PDF of one page with this name.
fn cv(name: &str) -> Vec<u8> {
    let plain: String = name.chars().filter(char::is_ascii_alphabetic).collect();
    let page = format!("BT /F1 24 Tf 72 720 Td (CV of {plain}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R \
         /Resources << /Font << /F1 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{page}\nendstream", page.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    let (mut pdf, mut positions) = ("%PDF-1.4\n".to_owned(), Vec::new());
    for (n, object) in objects.iter().enumerate() {
        positions.push(pdf.len());
        let _ = write!(pdf, "{} 0 obj\n{object}\nendobj\n", n + 1);
    }
    let start = pdf.len();
    pdf += "xref\n0 6\n0000000000 65535 f \n";
    for position in positions {
        let _ = writeln!(pdf, "{position:010} 00000 n ");
    }
    let _ = write!(
        pdf,
        "trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    );
    pdf.into_bytes()
}

/// The CV of a person, as an answer.
pub fn file_of(person: &Person) -> AnswerFile {
    let bytes = cv(&person.personal.name);
    AnswerFile {
        id: Id::derived("demo file", &[&person.id.to_string()]),
        name: format!("CV {}.pdf", person.personal.name),
        size: bytes.len() as u64,
        media_type: FileFormat::Pdf.media_type().to_owned(),
        sha256: sha256_hex(&bytes),
    }
}

/// Stores the copies that these submissions have.
pub async fn load(campus: &Campus, submissions: &[Answered]) -> Result<(), TableError> {
    for submission in submissions {
        let name = submission
            .applicant
            .as_ref()
            .map(|one| one.personal.name.clone());
        let attachments: Vec<Attachment> = submission.attachments();
        for attachment in &attachments {
            let bytes = cv(name.as_deref().unwrap_or_default());
            let key = Path::from(attachment.object());
            let put = campus.files.put(&key, PutPayload::from(bytes)).await;
            put.map_err(|error| TableError::Files(error.to_string()))?;
        }
        campus.app.table.load(&attachments).await?;
    }
    Ok(())
}
