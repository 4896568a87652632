//! Requests that nobody may make, and what each is told. One of the person's own is among them, so that the others are
//! refused for what they are.

use hyper::Request;

use super::admission::{Admitted, Door};
use super::refusal::DoorRefusal;
use crate::routes::{READ, WRITTEN};
use crate::secret::Secret;

const PORT: u16 = 4321;

/// A request of the page itself, one line at a time.
struct Attempt {
    method: &'static str,
    path: String,
    headers: Vec<(&'static str, String)>,
}

struct World {
    door: Door,
    cookie: Secret,
    key: Secret,
}

fn world() -> World {
    let (cookie, key) = (Secret::new().unwrap(), Secret::new().unwrap());
    let door = Door::new(PORT, cookie.clone(), key.clone(), &Secret::short().unwrap());
    World { door, cookie, key }
}

impl World {
    /// The page asks for itself.
    fn page(&self) -> Attempt {
        Attempt { method: "GET", path: format!("{}review", self.door.prefix()), headers: Vec::new() }
            .with("host", &format!("127.0.0.1:{PORT}"))
            .with("cookie", &format!("postil-{PORT}={}", self.cookie.reveal()))
            .with("sec-fetch-site", "same-origin")
    }

    /// The page writes.
    fn write(&self) -> Attempt {
        let page = self.page();
        Attempt { method: "POST", path: format!("{}do/comment", self.door.prefix()), ..page }
            .with("origin", &format!("http://127.0.0.1:{PORT}"))
            .with("content-type", "application/json")
            .with("content-length", "2")
    }

    /// Another process wants a link.
    fn link(&self) -> Attempt {
        Attempt { method: "POST", path: "/link".into(), headers: Vec::new() }
            .with("host", &format!("127.0.0.1:{PORT}"))
            .with("authorization", &format!("Bearer {}", self.key.reveal()))
            .with("content-type", "application/json")
    }

    fn ask(&self, attempt: &Attempt) -> Result<Admitted, DoorRefusal> {
        let mut request = Request::builder().method(attempt.method).uri(attempt.path.as_str());
        for (name, value) in &attempt.headers {
            request = request.header(*name, value);
        }
        let (parts, ()) = request.body(()).unwrap().into_parts();
        self.door.admit(&parts)
    }
}

impl Attempt {
    /// The same with another value of a header.
    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.retain(|(known, _)| *known != name);
        self.and(name, value)
    }

    /// The same with one more value of a header.
    fn and(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| *known != name);
        self
    }

    fn by(self, method: &'static str) -> Self {
        Self { method, ..self }
    }

    fn at(self, path: &str) -> Self {
        Self { path: path.to_owned(), ..self }
    }
}

/// A person opens a one-time address.
fn open() -> Attempt {
    Attempt { method: "GET", path: "/open/abc".into(), headers: Vec::new() }
        .with("host", &format!("127.0.0.1:{PORT}"))
}

#[test]
fn what_the_person_does_is_let_in() {
    let world = world();
    let own = |attempt: &Attempt| world.ask(attempt).unwrap();
    assert_eq!(own(&world.page()), Admitted::Read("review".into()));
    assert_eq!(own(&world.page().by("HEAD")), Admitted::Read("review".into()));
    assert_eq!(own(&world.page().without("sec-fetch-site")), Admitted::Read("review".into()));
    let typed = world.page().with("sec-fetch-site", "none").with("sec-fetch-mode", "navigate");
    assert_eq!(own(&typed), Admitted::Read("review".into()));
    assert_eq!(own(&world.write()), Admitted::Write("do/comment".into()));
    let charset = world.write().with("content-type", "application/json; charset=utf-8");
    assert_eq!(own(&charset), Admitted::Write("do/comment".into()));
    assert_eq!(own(&world.link()), Admitted::Link);
    assert_eq!(own(&open()), Admitted::Open("abc".into()));
    // The file that leads there is of no site at all.
    let from_file = open().with("sec-fetch-site", "cross-site").with("sec-fetch-mode", "navigate");
    assert_eq!(own(&from_file.with("sec-fetch-dest", "document")), Admitted::Open("abc".into()));
    let beside = format!("other=1; postil-{PORT}={}; x=y", world.cookie.reveal());
    assert_eq!(own(&world.page().with("cookie", &beside)), Admitted::Read("review".into()));
}

#[test]
fn hostile_requests_are_refused() {
    let world = world();
    let cookie = |name: &str, value: &str| world.page().with("cookie", &format!("{name}={value}"));
    let right = world.cookie.reveal();
    let name = format!("postil-{PORT}");
    let prefix = world.door.prefix().to_owned();
    let attempts = [
        // Another host, as after a rebound name.
        (world.page().with("host", "evil.example"), DoorRefusal::ForeignHost),
        (world.page().with("host", &format!("evil.example:{PORT}")), DoorRefusal::ForeignHost),
        (world.page().with("host", &format!("localhost:{PORT}")), DoorRefusal::ForeignHost),
        (world.page().with("host", "127.0.0.1"), DoorRefusal::ForeignHost),
        (world.page().with("host", "127.0.0.1:80"), DoorRefusal::ForeignHost),
        (world.page().with("host", &format!("127.0.0.1.evil.example:{PORT}")), DoorRefusal::ForeignHost),
        (world.page().with("host", &format!("[::1]:{PORT}")), DoorRefusal::ForeignHost),
        (world.page().with("host", &format!("0.0.0.0:{PORT}")), DoorRefusal::ForeignHost),
        (world.page().with("host", &format!("127.0.0.1:{PORT}@evil.example")), DoorRefusal::ForeignHost),
        (world.page().with("host", ""), DoorRefusal::ForeignHost),
        (world.page().without("host"), DoorRefusal::ForeignHost),
        (world.page().and("host", "evil.example"), DoorRefusal::Malformed),
        (world.write().with("host", "evil.example"), DoorRefusal::ForeignHost),
        (world.link().with("host", "evil.example"), DoorRefusal::ForeignHost),
        (open().with("host", "evil.example"), DoorRefusal::ForeignHost),
        (world.page().at(&format!("http://evil.example{prefix}review")), DoorRefusal::Malformed),
        // Another page.
        (world.page().with("origin", "http://evil.example"), DoorRefusal::ForeignPage),
        (world.page().with("origin", "null"), DoorRefusal::ForeignPage),
        (world.page().with("origin", "http://127.0.0.1"), DoorRefusal::ForeignPage),
        (world.page().with("origin", "http://127.0.0.1:8080"), DoorRefusal::ForeignPage),
        (world.page().with("origin", &format!("https://127.0.0.1:{PORT}")), DoorRefusal::ForeignPage),
        (world.page().with("origin", &format!("http://localhost:{PORT}")), DoorRefusal::ForeignPage),
        (world.write().with("origin", "file://"), DoorRefusal::ForeignPage),
        (world.write().and("origin", "http://evil.example"), DoorRefusal::Malformed),
        (world.page().with("sec-fetch-site", "cross-site"), DoorRefusal::ForeignPage),
        (world.page().with("sec-fetch-site", "same-site"), DoorRefusal::ForeignPage),
        (
            world.page().with("sec-fetch-site", "none").with("sec-fetch-mode", "no-cors"),
            DoorRefusal::ForeignPage,
        ),
        (world.page().and("sec-fetch-site", "cross-site"), DoorRefusal::Malformed),
        (world.write().with("sec-fetch-site", "cross-site"), DoorRefusal::ForeignPage),
        (open().with("sec-fetch-mode", "no-cors"), DoorRefusal::ForeignPage),
        (open().with("sec-fetch-dest", "iframe"), DoorRefusal::ForeignPage),
        (open().with("sec-fetch-dest", "image"), DoorRefusal::ForeignPage),
        (open().with("sec-purpose", "prefetch"), DoorRefusal::ForeignPage),
        (open().with("purpose", "prefetch"), DoorRefusal::ForeignPage),
        // Another browser.
        (world.page().without("cookie"), DoorRefusal::NoCookie),
        (cookie(&name, ""), DoorRefusal::NoCookie),
        (cookie(&name, &right[1..]), DoorRefusal::NoCookie),
        (cookie(&name, &format!("{right}0")), DoorRefusal::NoCookie),
        (cookie(&name, &right.to_uppercase()), DoorRefusal::NoCookie),
        (cookie(&format!("postil-{}", PORT + 1), right), DoorRefusal::NoCookie),
        (cookie("postil", right), DoorRefusal::NoCookie),
        (cookie(&format!("x{name}"), right), DoorRefusal::NoCookie),
        (world.page().without("cookie").with("authorization", right), DoorRefusal::NoCookie),
        (world.page().without("cookie").at(&format!("{prefix}review?postil={right}")), DoorRefusal::NoCookie),
        (world.write().without("cookie"), DoorRefusal::NoCookie),
        (world.page().without("cookie").at("/"), DoorRefusal::NoCookie),
        (world.link().without("authorization"), DoorRefusal::NoCookie),
        (world.link().with("authorization", &format!("Bearer {right}")), DoorRefusal::NoCookie),
        (world.link().with("authorization", world.key.reveal()), DoorRefusal::NoCookie),
        (world.link().with("origin", &format!("http://127.0.0.1:{PORT}")), DoorRefusal::NoCookie),
        (world.link().with("sec-fetch-site", "same-origin"), DoorRefusal::NoCookie),
        // Another way.
        (world.page().by("OPTIONS"), DoorRefusal::Method),
        (world.page().by("OPTIONS").without("cookie"), DoorRefusal::Method),
        (world.write().by("PUT"), DoorRefusal::Method),
        (world.write().by("DELETE"), DoorRefusal::Method),
        (world.write().by("PATCH"), DoorRefusal::Method),
        (world.page().by("TRACE"), DoorRefusal::Method),
        (world.page().by("CONNECT").at(&format!("127.0.0.1:{PORT}")), DoorRefusal::Malformed),
        (open().by("HEAD"), DoorRefusal::Method),
        (open().by("POST"), DoorRefusal::Method),
        (world.link().by("GET"), DoorRefusal::Method),
        // What a form can send.
        (world.write().with("content-type", "text/plain"), DoorRefusal::NotJson),
        (world.write().with("content-type", "application/x-www-form-urlencoded"), DoorRefusal::NotJson),
        (world.write().with("content-type", "multipart/form-data; boundary=x"), DoorRefusal::NotJson),
        (world.write().with("content-type", "application/json, text/plain"), DoorRefusal::NotJson),
        (world.write().with("content-type", "application/jsonp"), DoorRefusal::NotJson),
        (world.write().without("content-type"), DoorRefusal::NotJson),
        (world.link().with("content-type", "text/plain"), DoorRefusal::NotJson),
        (world.write().with("content-length", "1048577"), DoorRefusal::TooLarge),
        (world.write().with("content-length", "-1"), DoorRefusal::Malformed),
        (world.write().and("content-length", "3"), DoorRefusal::Malformed),
        (world.page().with("x-long", &"x".repeat(65 << 10)), DoorRefusal::LongHead),
        (
            world
                .page()
                .at(&format!("{prefix}review?{}", "x".repeat(65_000)))
                .with("x-long", &"x".repeat(1000)),
            DoorRefusal::LongHead,
        ),
        // Another place.
        (world.page().at("/"), DoorRefusal::NotFound),
        (world.page().at("/review"), DoorRefusal::NotFound),
        (world.page().at(&format!("/x{prefix}review")), DoorRefusal::NotFound),
        (world.page().at(prefix.trim_end_matches('/')), DoorRefusal::NotFound),
        (world.page().at("/link/"), DoorRefusal::NotFound),
    ];
    assert!(attempts.len() >= 40, "{} attempts", attempts.len());
    for (attempt, refusal) in attempts {
        let Attempt { method, path, headers } = &attempt;
        assert_eq!(world.ask(&attempt), Err(refusal), "{method} {path} {headers:?}");
    }
}

#[test]
fn every_route_is_behind_the_door() {
    let world = world();
    let prefix = world.door.prefix().to_owned();
    let refused = |attempt: &Attempt, path: &str, why: DoorRefusal| {
        assert_eq!(world.ask(attempt), Err(why), "{path}");
    };
    let read = READ.iter().map(|(path, _)| (*path, false));
    for (path, is_written) in read.chain(WRITTEN.iter().map(|(path, _)| (*path, true))) {
        let own = || {
            let attempt = if is_written { world.write() } else { world.page() };
            attempt.at(&format!("{prefix}{path}"))
        };
        assert!(world.ask(&own()).is_ok(), "{path}");
        refused(&own().without("cookie"), path, DoorRefusal::NoCookie);
        refused(&own().with("host", "evil.example"), path, DoorRefusal::ForeignHost);
        refused(&own().with("origin", "http://evil.example"), path, DoorRefusal::ForeignPage);
        refused(&own().with("sec-fetch-site", "cross-site"), path, DoorRefusal::ForeignPage);
        for site in ["same-site", "none"] {
            let foreign = own().with("sec-fetch-site", site).with("sec-fetch-mode", "no-cors");
            refused(&foreign, path, DoorRefusal::ForeignPage);
        }
        refused(&own().with("origin", "null"), path, DoorRefusal::ForeignPage);
        refused(&own().with("sec-purpose", "prefetch"), path, DoorRefusal::ForeignPage);
        refused(&own().with("cookie", "postil-4321="), path, DoorRefusal::NoCookie);
        refused(&own().by("OPTIONS"), path, DoorRefusal::Method);
        refused(&own().by("PUT"), path, DoorRefusal::Method);
        refused(&own().at(&format!("/{path}")), path, DoorRefusal::NotFound);
        if is_written {
            refused(&own().with("content-type", "text/plain"), path, DoorRefusal::NotJson);
            refused(&own().with("content-length", "99999999"), path, DoorRefusal::TooLarge);
        }
    }
}
