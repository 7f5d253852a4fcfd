//! The Lambda function `memberships`.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::lambda::Error> {
    shared::lambda::run(memberships::routes()).await
}
