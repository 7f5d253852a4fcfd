//! The Lambda function `mailer`: fed by the table's stream.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::lambda::Error> {
    mailer::run().await
}
