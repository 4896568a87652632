//! Paths of files as other tools write them: relative or absolute, plain or as addresses.

/// Reads a path, which must lead to a file in the repository at `root`.
pub fn read(path: &str, root: Option<&[u8]>) -> Result<Vec<u8>, String> {
    inside(path.as_bytes(), root).ok_or_else(|| refusal(path))
}

/// Reads an address: relative to `base` or to the repository, or of a file on disk.
pub fn read_uri(uri: &str, base: Option<&str>, root: Option<&[u8]>) -> Result<Vec<u8>, String> {
    let refused = || refusal(uri);
    let relative = decoded(uri).ok_or_else(refused)?;
    if let Some(path) = on_disk(&relative) {
        return inside(path, root).ok_or_else(refused);
    }
    let base = base.and_then(decoded);
    let below = base.as_deref().and_then(on_disk).and_then(|base| {
        let whole = [base, b"/".as_slice(), relative.as_slice()].concat();
        inside(&whole, root)
    });
    // A base of another machine says nothing here.
    below.or_else(|| inside(&relative, root)).ok_or_else(refused)
}

/// Whether git would track a file of this name.
pub fn is_trackable(path: &[u8]) -> bool {
    let plain = |part: &[u8]| {
        !part.is_empty() && part != b"." && part != b".." && !part.eq_ignore_ascii_case(b".git")
    };
    !path.contains(&0) && path.split(|byte| *byte == b'/').all(plain)
}

/// A path as an address writes it.
pub fn percent_encoded(path: &[u8]) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(byte) {
            encoded.push(char::from(*byte));
        } else {
            encoded.extend(["%", &format!("{byte:02X}")]);
        }
    }
    encoded
}

fn refusal(path: &str) -> String {
    let shown: String = path.chars().take(200).collect();
    format!("not a file in this repository: {shown:?}")
}

fn inside(path: &[u8], root: Option<&[u8]>) -> Option<Vec<u8>> {
    let mut path = path;
    if path.starts_with(b"/") {
        let root = root?;
        path = path.strip_prefix(root)?.strip_prefix(b"/")?;
    }
    // `./a//b` is how shells and build tools write `a/b`.
    let parts = path.split(|byte| *byte == b'/').filter(|part| !part.is_empty() && *part != b".");
    let path = parts.collect::<Vec<_>>().join(&b'/');
    is_trackable(&path).then_some(path)
}

/// The path of an address `file:`; `None` for other addresses, which lead elsewhere or are relative.
fn on_disk(address: &[u8]) -> Option<&[u8]> {
    let rest = address.strip_prefix(b"file:")?;
    let path = match rest.strip_prefix(b"//") {
        // Before the path is a host name; it is assumed to be this host.
        Some(rest) => &rest[rest.iter().position(|byte| *byte == b'/')?..],
        None => rest,
    };
    Some(path.strip_suffix(b"/").unwrap_or(path))
}

fn decoded(uri: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let [first, behind @ ..] = rest {
        rest = behind;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let [high, low, behind @ ..] = rest else { return None };
        let digit = |byte: &u8| char::from(*byte).to_digit(16);
        bytes.push(u8::try_from(digit(high)? * 16 + digit(low)?).ok()?);
        rest = behind;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_into_the_repository_or_are_refused() {
        let check = |path: &str, inside: Option<&str>| {
            let read = read(path, Some(b"/home/ann/r"));
            assert_eq!(read.ok().as_deref(), inside.map(str::as_bytes), "{path}");
        };
        check("src/a.rs", Some("src/a.rs"));
        check("./src//a.rs", Some("src/a.rs"));
        check("/home/ann/r/src/a.rs", Some("src/a.rs"));
        for bad in [
            "../../etc/passwd",
            "a/../../x",
            "/etc/passwd",
            "/home/ann/rx/a",
            ".git/hooks/x",
            "a/.GIT/config",
            "",
            "/",
            ".",
            "/home/ann/r",
            "a\0b",
        ] {
            check(bad, None);
        }
    }

    #[test]
    fn addresses_are_decoded_before_they_are_judged() {
        let check = |uri: &str, base: Option<&str>, inside: Option<&str>| {
            let read = read_uri(uri, base, Some(b"/home/ann/r"));
            assert_eq!(read.ok().as_deref(), inside.map(str::as_bytes), "{uri}");
        };
        check("a%20b.rs", None, Some("a b.rs"));
        check("file:///home/ann/r/a.rs", None, Some("a.rs"));
        check("file://localhost/home/ann/r/a.rs", None, Some("a.rs"));
        check("a.rs", Some("file:///home/ann/r/src/"), Some("src/a.rs"));
        check("a.rs", Some("file:///elsewhere/"), Some("a.rs"));
        for bad in ["%2e%2e/x", "file:///etc/passwd", "https://example.com/../x", "%", "%zz", ".git%2fconfig"]
        {
            check(bad, None, None);
        }
        assert_eq!(percent_encoded("a b/é".as_bytes()), "a%20b/%C3%A9");
    }
}
