//! The Lambda function `applications`.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::lambda::Error> {
    shared::lambda::run_with_files(applications::routes()).await
}
