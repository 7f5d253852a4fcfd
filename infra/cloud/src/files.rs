//! Files: a browser sends them to the bucket with a form that a function signed, and fetches them.

use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use tests::files::{announced, pdf};
use tests::fixtures::id;

use crate::caller::Caller;
use crate::{Cloud, Error};

/// Sends bytes to the bucket as the response to an announcement says.
async fn send(cloud: &Cloud, file: &Value, bytes: &[u8]) -> Result<u16, Error> {
    let mut form = Form::new();
    let fields = file["upload"]["fields"].as_object().ok_or("no fields")?;
    for (name, value) in fields {
        form = form.text(name.clone(), value.as_str().unwrap_or_default().to_owned());
    }
    let form = form.part("file", Part::bytes(bytes.to_vec()).file_name("cv.pdf"));
    let url = file["upload"]["url"].as_str().ok_or("no address")?;
    let response = cloud.services.http.post(url).multipart(form).send().await?;
    Ok(response.status().as_u16())
}

/// A question for a file, a submission with one, a second one that replaces it, and its withdrawal.
pub(crate) async fn files(
    cloud: &Cloud,
    path: &str,
    (officer, applicant): (&Caller, &Caller),
) -> Result<(), Error> {
    let question = json!({ "question_type": 5, "prompt": "Your CV", "precedence": 9 });
    let question = officer
        .post(&format!("{path}questions/"), question)
        .await
        .created();
    let files = format!("{path}files/");
    let submissions = format!("{path}submissions/");
    let mut last = None;
    for text in ["first", "second"] {
        let bytes = pdf(text);
        let body = announced(&question, "Lebenslauf \u{e4}.pdf", &bytes);
        let file = applicant.post(&files, body).await.created();
        let one = format!("{files}{}/", id(&file));
        assert_eq!(applicant.get(&one).await.ok()["state"], "waiting");
        assert_eq!(send(cloud, &file, &bytes).await?, 204);
        assert_eq!(applicant.get(&one).await.ok()["state"], "here");
        let answers = json!({ "responses": [{ "question": question["id"], "file": file["id"] }] });
        let stored = applicant.post(&submissions, answers).await;
        assert!(stored.status.is_success(), "{}", stored.text());
        let submission = stored.json();
        let read = format!("{submissions}{}/files/{}/", id(&submission), id(&file));
        let by_officer = officer.header("accept", "application/json");
        let address = by_officer.get(&read).await.ok();
        let url = address["url"].as_str().ok_or("no address")?;
        let found = cloud.services.http.get(url).send().await?;
        let disposition = found.headers().get("content-disposition").cloned();
        let disposition = disposition.ok_or("no disposition")?;
        assert!(
            disposition
                .to_str()?
                .contains("UTF-8''Lebenslauf%20%C3%A4.pdf")
        );
        assert_eq!(found.bytes().await?.to_vec(), bytes);
        last = Some((submission, read));
    }
    let (submission, read) = last.ok_or("no submission")?;
    let own = format!("/api/submissions/{}/", id(&submission));
    applicant
        .send(http::Method::DELETE, &own, Value::Null)
        .await
        .no_content();
    officer.get(&read).await.error(404);
    let bucket = &cloud.functions["Submissions"].function.variables["FILES_BUCKET"];
    let left = cloud.services.objects(bucket, "files/").await?;
    assert!(left.is_empty(), "{left:?}");
    Ok(())
}
