//! A Lambda function that does nothing: what the runtime itself needs for its start and its first
//! answer. `bash infra/scripts/cloud measure` compares the functions with it.

use lambda_http::{Body, Error, Request, Response, run, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    run(service_fn(async |_: Request| {
        Ok::<_, Error>(Response::new(Body::Empty))
    }))
    .await
}
