//! The server of the review page, without a browser: who is answered, and how it starts and ends.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Instant;

use postil_testkit::{LONG_ENOUGH, wait_for, wait_until};
use rustix::process::{Pid, Signal, kill_process};

use crate::support::served::Served;
use crate::support::world::{Checkout, World};

/// A running `postil web`, and a browser that is known there or not.
struct Page {
    server: Child,
    port: u16,
    /// The path of the one-time address.
    link: String,
    cookie: String,
    prefix: String,
}

impl Page {
    fn start(world: &World, repository: &Checkout<'_>, line: &str) -> Self {
        let told = world.people().join("told");
        let file = File::create(&told).expect("a file can be made");
        let mut command = repository.served_command(line);
        let server = command.stdout(file).stderr(Stdio::null()).spawn().expect("postil starts");
        let address = wait_for("the address", || {
            let told = std::fs::read_to_string(&told).expect("the file is there");
            told.strip_suffix('\n').map(str::to_owned)
        });
        let (port, link) = parts(&address);
        Self { server, port, link, cookie: String::new(), prefix: String::new() }
    }

    /// Opens the link, as a browser does: it is known then.
    fn open(&mut self) {
        let opened = self.get(&self.link);
        assert!(opened.starts_with("HTTP/1.1 200 "), "{opened}");
        let cookie = header(&opened, "set-cookie");
        for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
            assert!(cookie.contains(part), "{cookie}");
        }
        let (value, rest) = cookie.split_once("; Path=").expect("a path");
        assert!(value.starts_with(&format!("postil-{}=", self.port)), "{value}");
        (self.cookie, self.prefix) =
            (value.to_owned(), rest.split(';').next().unwrap_or_default().to_owned());
    }

    fn get(&self, path: &str) -> String {
        self.send("GET", path, &[], "")
    }

    fn send(&self, method: &str, path: &str, headers: &[&str], body: &str) -> String {
        let host = format!("Host: 127.0.0.1:{}", self.port);
        let own = headers.iter().any(|header| header.starts_with("Host:"));
        let mut head = vec![format!("{method} {path} HTTP/1.1"), "Connection: close".to_owned()];
        head.extend((!own).then_some(host));
        head.extend((!self.cookie.is_empty()).then(|| format!("Cookie: {}", self.cookie)));
        head.extend(headers.iter().map(|header| (*header).to_owned()));
        if !body.is_empty() {
            head.push(format!("Content-Length: {}", body.len()));
        }
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        stream.set_read_timeout(Some(LONG_ENOUGH)).expect("a time limit can be set");
        stream.write_all(format!("{}\r\n\r\n{body}", head.join("\r\n")).as_bytes()).expect("it reads");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("it answers");
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn write(&self, method: &str, body: &str) -> String {
        self.send("POST", &format!("{}/do/{method}", self.prefix), &["Content-Type: application/json"], body)
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The port and the path of an address.
fn parts(address: &str) -> (u16, String) {
    let rest = address.strip_prefix("http://127.0.0.1:").unwrap_or_else(|| panic!("{address}"));
    let (port, path) = rest.split_once('/').expect("a path");
    (port.parse().expect("a port"), format!("/{path}"))
}

fn header(answer: &str, name: &str) -> String {
    let lines = answer.split("\r\n\r\n").next().unwrap_or_default().lines();
    let found =
        lines.filter_map(|line| line.split_once(": ")).find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.to_owned()).unwrap_or_default()
}

fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_else(|| panic!("{answer}"))
}

fn topic(alice: &Checkout<'_>) {
    alice.write("a.txt", "one\ntwo\n");
    alice.commit("first");
    alice.git("checkout -q -b topic");
    alice.write("a.txt", "one\nsecond\n");
    alice.commit("change");
}

#[test]
fn a_page_answers_its_own_person_alone() {
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    topic(&alice);
    alice.served("comment a.txt:2 -m 'why second?'").code(0);
    let mut page = Page::start(&world, &alice, "web --no-open");
    // Nobody is known yet, and nothing tells what there is.
    for path in ["/", "/changes", "/favicon.ico", "/link", "/open/guessed"] {
        let answer = page.get(path);
        assert_eq!(status(&answer), 403, "{path}");
        assert!(!answer.contains("second"), "{answer}");
    }
    assert_eq!(status(&page.send("GET", &page.link, &["Host: evil.example"], "")), 403, "a rebound name");
    page.open();
    assert_eq!(status(&page.get(&page.link)), 403, "a link opens once");
    let changes = format!("{}/changes", page.prefix);
    let shown = page.get(&changes);
    assert!(status(&shown) == 200 && shown.contains("why second?") && shown.contains("data-js"), "{shown}");
    for (name, value) in [
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        assert_eq!(header(&shown, name), value);
    }
    assert!(header(&shown, "content-security-policy").starts_with("default-src 'none';"));
    assert!(header(&shown, "access-control-allow-origin").is_empty());
    let hostile: [(&str, &[&str], u16); 5] = [
        ("GET", &["Host: evil.example"], 403),
        ("GET", &["Origin: http://evil.example"], 403),
        ("GET", &["Sec-Fetch-Site: cross-site"], 403),
        ("OPTIONS", &["Origin: http://evil.example"], 405),
        ("POST", &["Content-Type: text/plain"], 415),
    ];
    for (method, headers, expected) in hostile {
        let answer = page.send(method, &changes, headers, "");
        assert_eq!(status(&answer), expected, "{method} {headers:?}");
        assert!(!answer.contains("why second?"));
    }
    assert_eq!(status(&page.get(&format!("{}/assets/../../../etc/passwd", page.prefix))), 404);
    let written =
        page.write("comment", r#"{"place":{"path":"a.txt","span":{"start":1,"end":1}},"text":"by a page"}"#);
    assert!(status(&written) == 200 && written.contains("by a page"), "{written}");
    assert!(alice.served("list").code(0).stdout().contains("by a page"));
    assert_eq!(status(&page.write("comment", "{\"text\":")), 400);
    assert_eq!(status(&page.write("apply.write", "{}")), 404, "no page writes files");
    let large = format!("{{\"text\":\"{}\"}}", "x".repeat(1 << 20));
    assert_eq!(status(&page.write("comment", &large)), 413);
    let missing = page.get(&format!("{}/review/ffffffff", page.prefix));
    assert!(status(&missing) == 404 && missing.contains("<h1>"), "{missing}");
    let named = page.get(&format!("{changes}?commit=main"));
    assert!(status(&named) == 400 && named.contains("`main` is not the id of a commit"), "{named}");
}

#[test]
fn a_second_start_gives_a_fresh_link_to_the_first_and_it_ends_when_asked() {
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    topic(&alice);
    let mut page = Page::start(&world, &alice, "web --no-open --read-only");
    page.open();
    let again = alice.served("web --no-open main").code(0).stdout();
    let (port, link) = parts(again.trim_end());
    assert_eq!(port, page.port);
    let first = page.cookie.clone();
    page.link = link;
    page.open();
    assert_eq!(page.cookie, first, "the same page, which is known by the same cookie");
    let refused = page.write("comment", r#"{"text":"by a page"}"#);
    assert!(status(&refused) == 403 && refused.contains("--read-only"), "{refused}");
    let taken = alice.served(&format!("web --no-open --port {port}")).code(0).stdout();
    assert_eq!(parts(taken.trim_end()).0, port, "the page that runs counts, whatever the port");
    let bob = world.clone_of(&alice, "bob");
    let failed = bob.served(&format!("web --no-open --port {port}"));
    assert!(failed.code(4).stderr().contains(&format!("port {port} is in use")), "{}", failed.stderr());
    kill_process(Pid::from_child(&page.server), Signal::INT).expect("it runs");
    wait_until("the end", || page.server.try_wait().expect("a child can be asked").is_some());
    let left = std::fs::read_dir(world.runtime().join("postil")).expect("the folder is there");
    let left: Vec<_> = left.flatten().map(|file| file.file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with("web-")), "{left:?}");
}

#[test]
fn whoever_takes_too_much_is_refused_and_others_are_served() {
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    topic(&alice);
    let mut page = Page::start(&world, &alice, "web --no-open");
    page.open();
    let changes = format!("{}/changes", page.prefix);
    let long = format!("X-Long: {}", "x".repeat(70 << 10));
    let refused = page.send("GET", &changes, &[&long], "");
    assert!(refused.is_empty() || status(&refused) == 431, "{refused}");
    // Eight pages wait for news, and a ninth is told so.
    let wait = || {
        let mut stream = TcpStream::connect(("127.0.0.1", page.port)).expect("it listens");
        stream.set_read_timeout(Some(LONG_ENOUGH)).expect("a time limit can be set");
        let (prefix, port, cookie) = (&page.prefix, page.port, &page.cookie);
        let head =
            format!("GET {prefix}/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n\r\n");
        let mut start = [0; 12];
        // One connection too many is closed without an answer.
        let answered = stream.write_all(head.as_bytes()).and_then(|()| stream.read_exact(&mut start));
        (stream, answered.map_or_else(|_| String::new(), |()| String::from_utf8_lossy(&start).into_owned()))
    };
    let waiting: Vec<_> = (0..8).map(|_| wait()).collect();
    assert!(waiting.iter().all(|(_, start)| start == "HTTP/1.1 200"), "{waiting:?}");
    assert_eq!(wait().1, "HTTP/1.1 429");
    assert_eq!(status(&page.get(&changes)), 200, "reading goes on");
    // Connections that say nothing take all places but harm only until they are closed.
    let silent: Vec<_> =
        (0..40).map(|_| TcpStream::connect(("127.0.0.1", page.port)).expect("it listens")).collect();
    drop((silent, waiting));
    wait_until("there is room again", || wait().1 == "HTTP/1.1 200");
    assert_eq!(status(&page.get(&changes)), 200);
    // Whoever goes quickly from page to page, each of which waits for news, is never told to close some of them.
    let began = Instant::now();
    for _ in 0..60 {
        wait_until("there is room", || wait().1 == "HTTP/1.1 200");
    }
    assert!(began.elapsed() < LONG_ENOUGH, "pages that were left kept their room");
}

#[test]
fn the_lines_that_somebody_writes_about_are_found_where_they_went() {
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    topic(&alice);
    let mut page = Page::start(&world, &alice, "web --no-open");
    page.open();
    let form = "comment\tchanges\ta.txt\tnew\t2\t2";
    let type_in = |text: &str| {
        let body = serde_json::json!([form, text]).to_string();
        let headers = ["Content-Type: application/json"];
        assert_eq!(status(&page.send("POST", &format!("{}/typed", page.prefix), &headers, &body)), 200);
    };
    let asked = format!("{}/where?name={}", page.prefix, form.replace('\t', "%09"));
    let whereabouts = || page.get(&asked);
    assert!(whereabouts().ends_with("{}"), "nothing is typed yet");
    type_in("wh");
    alice.write("a.txt", "zero\nhalf\none\nsecond\n");
    type_in("why?");
    assert!(whereabouts().ends_with("{\"end\":4,\"start\":4}"), "{}", whereabouts());
    alice.write("a.txt", "zero\nhalf\none\nthird\n");
    let gone = whereabouts();
    assert!(status(&gone) == 404 && gone.contains("changed meanwhile"), "{gone}");
    type_in("");
    assert!(whereabouts().ends_with("{}"), "it was sent");
}

#[test]
fn a_diff_that_is_larger_than_any_answer_is_shown_in_parts() {
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    topic(&alice);
    alice.served("comment -m 'about all of it'").code(0);
    let line = "x".repeat((1 << 20) - 10);
    for number in 0..18 {
        alice.write(&format!("long{number}.txt"), format!("{line}\n"));
    }
    alice.served("comment a.txt:2 -m 'about a line'").code(0);
    let mut page = Page::start(&world, &alice, "web --no-open");
    page.open();
    let shown = page.get(&format!("{}/changes", page.prefix));
    assert_eq!(status(&shown), 200);
    assert_eq!(shown.matches("<section class=\"file\"").count(), 19);
    for words in ["about all of it", "about a line", "more bytes"] {
        assert!(shown.contains(words), "{words}");
    }
    assert!(shown.len() < 1 << 20, "{} bytes: long lines are cut", shown.len());
}

#[test]
fn the_first_screen_is_sent_before_the_rest_is_read() {
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    topic(&alice);
    alice.write("a.txt", (1..=1500).map(|line| format!("<{line}>\n")).collect::<String>());
    let mut page = Page::start(&world, &alice, "web --no-open");
    page.open();
    let shown = page.get(&format!("{}/changes", page.prefix));
    let [first, last] = [">&lt;1&gt;<", ">&lt;1500&gt;<"].map(|line| shown.find(line).expect("it is shown"));
    // Each piece is sent with its size before it.
    let is_size = |line: &str| u32::from_str_radix(line, 16).is_ok();
    assert!(shown[first..last].split("\r\n").any(is_size), "one piece of {} bytes", shown.len());
}

#[test]
fn what_cannot_be_shown_is_told_before_anything_is_served() {
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    topic(&alice);
    for (line, code) in [("web nothing", 3), ("web nothing..main", 3), ("web --port 0", 2), ("web --json", 2)]
    {
        alice.served(line).code(code);
    }
    alice.git("config postil.webIdle soon");
    assert!(alice.served("web").code(2).stderr().contains("postil.webIdle"));
    alice.git("config --unset postil.webIdle");
    alice.git("config postil.webLines 0");
    assert!(alice.served("web").code(2).stderr().contains("postil.webLines"));
}
