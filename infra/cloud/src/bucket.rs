//! Which rights a call of S3 needs, and who signed it.

use http::{HeaderMap, Method};

/// The access key that signed a call: in the header, in the query of an address, or in the fields
/// of a form.
pub(crate) fn signer(headers: &HeaderMap, query: &str, body: &[u8]) -> String {
    let authorization = headers
        .get("authorization")
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split("Credential=").nth(1));
    let of_form = || field(body, "x-amz-credential");
    let of_address = || {
        let pair = query
            .split('&')
            .find_map(|pair| pair.strip_prefix("X-Amz-Credential="))?;
        Some(pair.replace("%2F", "/"))
    };
    let credential = authorization
        .map(str::to_owned)
        .or_else(of_address)
        .or_else(of_form)
        .unwrap_or_default();
    credential.split('/').next().unwrap_or_default().to_owned()
}

/// A field of a form.
fn field(body: &[u8], name: &str) -> Option<String> {
    // The file stands behind the fields, and may be of any bytes.
    let text = String::from_utf8_lossy(body);
    let (_, rest) = text.split_once(&format!("name=\"{name}\"\r\n\r\n"))?;
    Some(rest.split_once("\r\n")?.0.to_owned())
}

/// The actions of a call, each with its resource. None if functions and browsers never make it.
pub(crate) fn actions(
    method: &Method,
    path: &str,
    query: &str,
    headers: &HeaderMap,
    body: &[u8],
) -> Option<Vec<(String, String)>> {
    let path = path.trim_start_matches('/');
    let object = |path: &str| format!("arn:aws:s3:::{}", path.trim_start_matches('/'));
    let on = |action: &str, path: &str| (format!("s3:{action}"), object(path));
    let source = headers
        .get("x-amz-copy-source")
        .and_then(|source| source.to_str().ok());
    match *method {
        Method::PUT => {
            let read = source.map(|source| on("GetObject", source));
            Some([on("PutObject", path)].into_iter().chain(read).collect())
        }
        Method::DELETE => Some(vec![on("DeleteObject", path)]),
        Method::GET if query.contains("list-type=2") => {
            Some(vec![on("ListBucket", path.trim_end_matches('/'))])
        }
        Method::GET | Method::HEAD => Some(vec![on("GetObject", path)]),
        // A form that a browser sends, with the rights of the function that signed it.
        Method::POST => {
            let key = field(body, "key")?;
            Some(vec![on("PutObject", &format!("{path}{key}"))])
        }
        _ => None,
    }
}
