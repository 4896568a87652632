//! Opens a browser, without telling other users of the machine where: arguments of a process can be read by all.
//!
//! The browser gets the name of a private file, which leads to the one-time address.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::secret::Secret;

/// The programs that open a file in the browser of the person, the first that can be started counts.
const OPENERS: &[&str] = if cfg!(target_os = "macos") { &["open"] } else { &["xdg-open", "wslview"] };

/// Opens a one-time address in the browser of the person; says whether a program for that was found.
///
/// `folder` is one that only this person can read. `BROWSER` names another program.
pub fn open_in_browser(address: &str, folder: &Path) -> io::Result<bool> {
    let file = leading_file(address, folder)?;
    let own = std::env::var_os("BROWSER").filter(|program| !program.is_empty());
    let programs = own.into_iter().chain(OPENERS.iter().map(Into::into));
    for program in programs {
        let started = Command::new(program)
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        if started.is_ok() {
            return Ok(true);
        }
    }
    fs::remove_file(&file)?;
    Ok(false)
}

/// A file that leads to an address; what an earlier one led to is used up or too old.
fn leading_file(address: &str, folder: &Path) -> io::Result<PathBuf> {
    for entry in fs::read_dir(folder)?.flatten() {
        let name = entry.file_name();
        let is_ours = name
            .to_str()
            .is_some_and(|name| name.strip_suffix(".html").is_some_and(|name| name.starts_with("open-")));
        let is_old = entry
            .metadata()
            .and_then(|found| found.modified())
            .is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age > crate::door::LINK_VALID_FOR));
        if is_ours && is_old {
            // Another process may have removed it.
            let _ = fs::remove_file(entry.path());
        }
    }
    let path = folder.join(format!("open-{}.html", Secret::short()?.reveal()));
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
    // The address is one that this program made: letters, digits and slashes.
    write!(
        file,
        "<!doctype html><meta charset=utf-8><meta name=referrer content=no-referrer>\
         <meta http-equiv=refresh content=\"0;url={address}\"><title>postil</title>"
    )?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    #[test]
    fn only_the_person_can_read_where_the_browser_goes() {
        let folder = tempfile::tempdir().unwrap();
        let path = leading_file("http://127.0.0.1:1/open/abc", folder.path()).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert!(fs::read_to_string(&path).unwrap().contains("url=http://127.0.0.1:1/open/abc\""));
        let again = leading_file("http://127.0.0.1:1/open/def", folder.path()).unwrap();
        assert!(path.exists() && path != again, "one that is not too old stays");
    }
}
