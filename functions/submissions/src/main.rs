//! The Lambda function `submissions`.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::lambda::Error> {
    shared::lambda::run_with_files(submissions::routes()).await
}
