//! The Lambda function `webhooks`, which the queue of the webhooks invokes.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::lambda::Error> {
    webhooks::run().await
}
