//! The Lambda function `tickets`.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::lambda::Error> {
    shared::lambda::run(tickets::routes()).await
}
