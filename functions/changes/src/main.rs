//! The Lambda function `changes`, which the stream of the table invokes.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::lambda::Error> {
    changes::run().await
}
