//! The Lambda function `mailer`, which the queues of mails and the reports of SES invoke.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::lambda::Error> {
    mailer::run().await
}
