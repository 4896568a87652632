//! Whether a request is let in, from its head alone.
//!
//! In this order: whom it is meant for, which page made it, who the browser is, what it wants. The first check that fails
//! ends it, so that who is not known learns nothing of what there is.

use hyper::header::{
    AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, COOKIE, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN,
};
use hyper::http::request::Parts;
use hyper::{Method, Version};

use super::refusal::DoorRefusal;
use crate::secret::Secret;

/// A longer head is refused.
pub(crate) const MAX_HEAD_BYTES: usize = 64 << 10;

/// A longer body is refused.
pub(crate) const MAX_BODY_BYTES: u64 = 1 << 20;

/// Where one-time addresses begin.
const OPEN: &str = "/open/";

/// Where another process of the same person asks for a fresh link.
const LINK: &str = "/link";

/// What a server knows of itself.
#[derive(Debug)]
pub(crate) struct Door {
    /// `127.0.0.1` and the port, as a browser names it.
    host: String,
    /// The address of its pages, as a browser names where a request comes from.
    origin: String,
    /// The name of the cookie, which has the port, since cookies do not know ports.
    cookie_name: String,
    /// What the cookie must say.
    cookie: Secret,
    /// What another process of the same person must say.
    key: Secret,
    /// The path below which everything is, with slashes around it; the cookie is sent there alone.
    prefix: String,
}

/// A request that was let in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Admitted {
    /// It opens a one-time address.
    Open(String),
    /// Another process of the same person wants a fresh link.
    Link,
    /// It reads what is at this path, below the prefix.
    Read(String),
    /// It writes at this path, below the prefix.
    Write(String),
}

impl Door {
    /// A server on this port.
    pub(crate) fn new(port: u16, cookie: Secret, key: Secret, prefix: &Secret) -> Self {
        let host = format!("127.0.0.1:{port}");
        Self {
            origin: format!("http://{host}"),
            cookie_name: format!("postil-{port}"),
            cookie,
            key,
            prefix: format!("/{}/", prefix.reveal()),
            host,
        }
    }

    /// The path below which everything is, with slashes around it.
    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The address of a one-time link.
    pub(crate) fn link(&self, secret: &Secret) -> String {
        format!("{}{OPEN}{}", self.origin, secret.reveal())
    }

    /// What makes a browser known.
    pub(crate) fn set_cookie(&self) -> String {
        let (name, value, path) =
            (&self.cookie_name, self.cookie.reveal(), self.prefix.trim_end_matches('/'));
        format!("{name}={value}; Path={path}; HttpOnly; SameSite=Strict")
    }

    /// Lets a request in, or says why not.
    pub(crate) fn admit(&self, parts: &Parts) -> Result<Admitted, DoorRefusal> {
        if parts.version != Version::HTTP_11 || parts.uri.authority().is_some() {
            return Err(DoorRefusal::Malformed);
        }
        let headers = &parts.headers;
        let fields = headers.iter().map(|(name, value)| name.as_str().len() + value.len());
        // The buffer that a head is read into bounds it only roughly.
        if fields.sum::<usize>() + parts.uri.path_and_query().map_or(0, |path| path.as_str().len())
            > MAX_HEAD_BYTES
        {
            return Err(DoorRefusal::LongHead);
        }
        if single(headers, &HOST)? != Some(self.host.as_bytes()) {
            return Err(DoorRefusal::ForeignHost);
        }
        if ![Method::GET, Method::HEAD, Method::POST].contains(&parts.method) {
            return Err(DoorRefusal::Method);
        }
        if is_beforehand(headers) {
            return Err(DoorRefusal::ForeignPage);
        }
        if single(headers, &ORIGIN)?.is_some_and(|origin| origin != self.origin.as_bytes()) {
            return Err(DoorRefusal::ForeignPage);
        }
        let path = parts.uri.path();
        if path == LINK {
            return self.admit_link(parts);
        }
        if let Some(word) = path.strip_prefix(OPEN) {
            return admit_open(parts, word);
        }
        same_page(headers)?;
        if !self.is_known(headers) {
            return Err(DoorRefusal::NoCookie);
        }
        let below = path.strip_prefix(&self.prefix).ok_or(DoorRefusal::NotFound)?;
        if parts.method != Method::POST {
            return Ok(Admitted::Read(below.to_owned()));
        }
        is_json(headers)?;
        Ok(Admitted::Write(below.to_owned()))
    }

    /// For another process, which has read the key in a private file; never for a browser.
    fn admit_link(&self, parts: &Parts) -> Result<Admitted, DoorRefusal> {
        let headers = &parts.headers;
        let is_browser = headers.contains_key(ORIGIN) || fetch(headers, "site")?.is_some();
        let key = single(headers, &AUTHORIZATION)?.and_then(|value| value.strip_prefix(b"Bearer "));
        if is_browser || !key.is_some_and(|key| self.key.is(key)) {
            return Err(DoorRefusal::NoCookie);
        }
        if parts.method != Method::POST {
            return Err(DoorRefusal::Method);
        }
        is_json(headers)?;
        Ok(Admitted::Link)
    }

    fn is_known(&self, headers: &HeaderMap) -> bool {
        let lines = headers.get_all(COOKIE).iter();
        let cookies = lines.flat_map(|line| line.as_bytes().split(|byte| *byte == b';'));
        let mut is_known = false;
        for cookie in cookies {
            let value = cookie
                .trim_ascii()
                .strip_prefix(self.cookie_name.as_bytes())
                .and_then(|rest| rest.strip_prefix(b"="));
            is_known |= value.is_some_and(|value| self.cookie.is(value));
        }
        is_known
    }
}

/// Where a browser says which page made a request, it is a page of this server; `none` is the person, who opens a page.
fn same_page(headers: &HeaderMap) -> Result<(), DoorRefusal> {
    match fetch(headers, "site")? {
        None | Some(b"same-origin") => Ok(()),
        Some(b"none") if matches!(fetch(headers, "mode")?, None | Some(b"navigate")) => Ok(()),
        Some(_) => Err(DoorRefusal::ForeignPage),
    }
}

/// A one-time address is opened by a person: as a page, from a file that led there or by hand.
fn admit_open(parts: &Parts, word: &str) -> Result<Admitted, DoorRefusal> {
    if parts.method != Method::GET {
        return Err(DoorRefusal::Method);
    }
    let is_page = matches!(fetch(&parts.headers, "mode")?, None | Some(b"navigate"))
        && matches!(fetch(&parts.headers, "dest")?, None | Some(b"document"));
    if !is_page {
        return Err(DoorRefusal::ForeignPage);
    }
    Ok(Admitted::Open(word.to_owned()))
}

/// A browser that fetches what nobody asked for yet would use up a link.
fn is_beforehand(headers: &HeaderMap) -> bool {
    ["sec-purpose", "purpose"].iter().any(|name| headers.contains_key(*name))
}

/// What a page of another site can send with a form is not this.
fn is_json(headers: &HeaderMap) -> Result<(), DoorRefusal> {
    let kind = single(headers, &CONTENT_TYPE)?.ok_or(DoorRefusal::NotJson)?;
    let kind = kind.to_ascii_lowercase();
    if kind != b"application/json" && kind != b"application/json; charset=utf-8" {
        return Err(DoorRefusal::NotJson);
    }
    let length = single(headers, &CONTENT_LENGTH)?.map(|length| {
        std::str::from_utf8(length)
            .ok()
            .and_then(|length| length.parse::<u64>().ok())
            .ok_or(DoorRefusal::Malformed)
    });
    match length.transpose()? {
        Some(length) if length > MAX_BODY_BYTES => Err(DoorRefusal::TooLarge),
        _ => Ok(()),
    }
}

/// What a browser says of who fetches and what for.
fn fetch<'a>(headers: &'a HeaderMap, of: &str) -> Result<Option<&'a [u8]>, DoorRefusal> {
    let name =
        HeaderName::from_bytes(format!("sec-fetch-{of}").as_bytes()).map_err(|_| DoorRefusal::Malformed)?;
    single(headers, &name)
}

/// The value of a header that may be there once.
fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a [u8]>, DoorRefusal> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (_, Some(_)) => Err(DoorRefusal::Malformed),
        (value, None) => Ok(value.map(HeaderValue::as_bytes)),
    }
}
