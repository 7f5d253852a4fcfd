//! The Lambda function `clubs`.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::lambda::Error> {
    shared::lambda::run_with_images(clubs::routes()).await
}
