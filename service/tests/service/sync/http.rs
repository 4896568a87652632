//! A small web server that hands requests to git's own `http-backend`, on this machine alone.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use postil_core::sync::ExchangeDirection;
use postil_testkit::skipped;

use super::team::{LIMIT, Team};

#[test]
fn reviews_travel_by_http() {
    let team = Team::of(&["alice", "bob"]);
    let exec_path = PathBuf::from(team.sandbox.git(&["--exec-path"]));
    if !exec_path.join("git-remote-http").exists() || !exec_path.join("git-http-backend").exists() {
        skipped("git speaks no http here");
        return;
    }
    team.remote().git(&["config", "http.receivepack", "true"]);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/remote.git", listener.local_addr().unwrap());
    let (backend, root) = (exec_path.join("git-http-backend"), team.sandbox.path().to_owned());
    // Ends with the process: the listener is never closed.
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            serve(&backend, &root, stream.unwrap());
        }
    });
    team.clone_of("alice").say("HEAD", "over the web");
    let sent = team.sync_with("alice", &address, ExchangeDirection::Both, LIMIT).unwrap();
    assert_eq!(sent.went.comments, 1);
    let came = team.sync_with("bob", &address, ExchangeDirection::Both, LIMIT).unwrap();
    assert_eq!(came.came.comments, 1);
}

/// Answers one request and hangs up.
fn serve(backend: &Path, root: &Path, mut stream: TcpStream) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let request = line(&mut reader);
    let mut words = request.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut cgi = Command::new(backend);
    cgi.env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("REQUEST_METHOD", method)
        .env("PATH_INFO", path)
        .env("QUERY_STRING", query)
        .env("GIT_CONFIG_GLOBAL", "/dev/null");
    let (mut length, mut is_chunked) = (0, false);
    loop {
        let header = line(&mut reader);
        let Some((name, value)) = header.split_once(':') else { break };
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap(),
            "transfer-encoding" => is_chunked = value == "chunked",
            "content-type" => drop(cgi.env("CONTENT_TYPE", value)),
            "content-encoding" => drop(cgi.env("HTTP_CONTENT_ENCODING", value)),
            "git-protocol" => drop(cgi.env("HTTP_GIT_PROTOCOL", value)),
            "expect" => stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").unwrap(),
            _ => {}
        }
    }
    let body = if is_chunked { chunks(&mut reader) } else { exactly(&mut reader, length) };
    cgi.env("CONTENT_LENGTH", body.len().to_string());
    let mut child = cgi.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // The answer is short enough for the pipe until all of the request was read.
    stdin.write_all(&body).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap().stdout;
    let status = output.strip_prefix(b"Status: ").map_or(&b"200 OK"[..], |rest| {
        &rest[..rest.iter().position(|byte| *byte == b'\r').unwrap_or(rest.len())]
    });
    let answer = [b"HTTP/1.1 ", status, b"\r\nConnection: close\r\n", &output].concat();
    // A client that has heard enough may hang up first.
    let _ = stream.write_all(&answer);
}

fn line(reader: &mut impl BufRead) -> String {
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    line.trim_end().to_owned()
}

fn exactly(reader: &mut impl Read, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes).unwrap();
    bytes
}

fn chunks(reader: &mut impl BufRead) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let length = usize::from_str_radix(&line(reader), 16).unwrap();
        body.extend(exactly(reader, length));
        line(reader);
        if length == 0 {
            return body;
        }
    }
}
