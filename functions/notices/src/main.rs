//! The Lambda function `notices`, which a schedule invokes every minute.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::lambda::Error> {
    notices::run().await
}
