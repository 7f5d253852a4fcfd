//! The Lambda function `memberships`.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::lambda::Error> {
    shared::lambda::run_with_files(memberships::routes()).await
}
