//! The Lambda function `clubs`.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::lambda::Error> {
    shared::lambda::run(clubs::routes()).await
}
