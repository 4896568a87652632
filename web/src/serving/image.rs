//! Images of the diff, by the id of their content: into `<img>` only, and with a policy under which nothing runs.

use hyper::header::{CONTENT_SECURITY_POLICY, HeaderValue};
use hyper::{HeaderMap, Response};
use postil_protocol::{Diff, DiffExtent};

use super::diff_pieces::literal;
use super::page_body::PageBody;
use super::reading::failed_part;
use super::router::respond;
use super::site::PageSite;
use crate::address::Query;
use crate::door::DoorRefusal;
use crate::looks::Looks;
use crate::shown_view::ShownView;

/// Nothing of an image is loaded or run; a drawing may have styles of its own.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'; sandbox";

/// An answer that is an image, which has a policy of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct ImageAnswer;

impl ImageAnswer {
    /// Replaces the policy of pages.
    pub(super) fn secure(headers: &mut HeaderMap) {
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    }
}

/// One side of a file of the diff, if it is an image.
pub(super) async fn image(
    site: &PageSite,
    view: &ShownView,
    looks: &Looks,
    query: &Query,
    headers: &HeaderMap,
) -> Result<Response<PageBody>, DoorRefusal> {
    // A page of its own would be a document, not an image.
    let into = headers.get("sec-fetch-dest").and_then(|into| into.to_str().ok());
    if into.is_some_and(|into| into != "image") {
        return Err(DoorRefusal::NotFound);
    }
    let (Some(path), Some(id)) = (query.all("path").next(), query.text("id")) else {
        return Err(DoorRefusal::NotFound);
    };
    let only = Some(DiffExtent { from: 0, to: 0 });
    let asked = Diff { paths: vec![literal(path)], only, content: true, ..looks.apply(view.diff()) };
    let diff = match site.session.ask(asked).await {
        Ok(diff) => diff,
        Err(error) => return Ok(failed_part(&error)),
    };
    let sides = diff.files.iter().flat_map(|file| [&file.old, &file.new]).flatten();
    let content = sides.filter(|side| side.blob.as_str() == id).find_map(|side| side.content.as_ref());
    let content = content.ok_or(DoorRefusal::NotFound)?.as_bytes();
    let kind = kind_of(path, content).ok_or(DoorRefusal::NotFound)?;
    let mut response = respond(kind, content.to_vec());
    response.extensions_mut().insert(ImageAnswer);
    Ok(response)
}

/// The type of an image, by how it begins; a drawing is known by its name. `None` for what is not shown.
fn kind_of(path: &[u8], content: &[u8]) -> Option<&'static str> {
    let begins = |at: usize, with: &[u8]| content.get(at..).is_some_and(|rest| rest.starts_with(with));
    if begins(0, b"\x89PNG\r\n\x1a\n") {
        Some("image/png")
    } else if begins(0, b"\xff\xd8\xff") {
        Some("image/jpeg")
    } else if begins(0, b"GIF87a") || begins(0, b"GIF89a") {
        Some("image/gif")
    } else if begins(0, b"RIFF") && begins(8, b"WEBP") {
        Some("image/webp")
    } else if begins(4, b"ftypavif") {
        Some("image/avif")
    } else if begins(0, b"BM") {
        Some("image/bmp")
    } else if begins(0, b"\x00\x00\x01\x00") {
        Some("image/x-icon")
    } else if path.to_ascii_lowercase().ends_with(b".svg") && std::str::from_utf8(content).is_ok() {
        Some("image/svg+xml")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_known_by_its_content_and_nothing_else_is_one() {
        assert_eq!(kind_of(b"a.html", b"\x89PNG\r\n\x1a\nrest"), Some("image/png"));
        assert_eq!(kind_of(b"a.webp", b"RIFF\x01\x02\x03\x04WEBPVP8 "), Some("image/webp"));
        assert_eq!(kind_of(b"A.SVG", b"<svg><script>alert(1)</script></svg>"), Some("image/svg+xml"));
        for (path, content) in
            [(&b"a.png"[..], &b"<html>"[..]), (b"a.html", b"<svg>"), (b"a.svg", b"\xff"), (b"a.gif", b"")]
        {
            assert_eq!(kind_of(path, content), None);
        }
    }

    #[test]
    fn an_image_cannot_run_or_load_anything() {
        let mut headers = HeaderMap::new();
        crate::door::secure(&mut headers);
        ImageAnswer::secure(&mut headers);
        let policy = headers[CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(policy.contains("sandbox") && policy.contains("default-src 'none'"), "{policy}");
        assert!(!policy.contains("script") && !policy.contains("allow-"), "{policy}");
    }
}
