//! The headers of every answer: what a browser may do with it, which is as little as possible.

use hyper::HeaderMap;
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};

/// Scripts, styles, connections and forms of this server alone; no inline script or style, no frame, no other host.
///
/// Text becomes markup through one named policy, which the scripts use for fragments of this server.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
     img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
     require-trusted-types-for 'script'; trusted-types postil";

/// Adds them to an answer; nothing takes them away, and no header ever lets another origin read.
pub(crate) fn secure(headers: &mut HeaderMap) {
    let mut set = |name: HeaderName, value: &'static str| {
        headers.insert(name, HeaderValue::from_static(value));
    };
    set(CONTENT_SECURITY_POLICY, POLICY);
    set(X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(REFERRER_POLICY, "no-referrer");
    set(CACHE_CONTROL, "no-store");
    set(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    set(HeaderName::from_static("x-frame-options"), "DENY");
    set(HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_answer_forbids_what_a_review_page_does_not_need() {
        let mut headers = HeaderMap::new();
        secure(&mut headers);
        let policy = headers[CONTENT_SECURITY_POLICY].to_str().unwrap();
        for part in
            ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", "trusted-types postil"]
        {
            assert!(policy.contains(part), "{policy}");
        }
        for bad in ["unsafe", "http:", "https:", "*"] {
            assert!(!policy.contains(bad), "{policy}");
        }
        assert_eq!(headers[CACHE_CONTROL], "no-store");
        assert!(headers.keys().all(|name| !name.as_str().starts_with("access-control")));
    }
}
