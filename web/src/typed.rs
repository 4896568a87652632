//! What was typed and not sent yet: kept in private files, so that neither a reload nor a killed page or server loses it.
//!
//! A text has a name, which the page makes of where it is typed. An empty text is removed.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::PathBuf;

/// A longer text is not kept.
const MAX_TEXT_BYTES: usize = 512 << 10;

/// A longer name is not one.
const MAX_NAME_BYTES: usize = 4 << 10;

/// So many texts are kept; one more is refused.
const MAX_TEXTS: usize = 500;

/// The texts of one repository.
#[derive(Clone, Debug)]
pub(crate) struct TypedTexts {
    folder: PathBuf,
}

impl TypedTexts {
    /// Those in a folder, which is made when it is needed.
    pub(crate) fn in_folder(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Keeps a text under a name; it is on disk when this returns.
    pub(crate) fn keep(&self, name: &str, text: &str) -> io::Result<()> {
        if name.is_empty()
            || name.len() > MAX_NAME_BYTES
            || name.contains('\n')
            || text.len() > MAX_TEXT_BYTES
        {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let path = self.file(name);
        if text.is_empty() {
            return match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        if !path.exists() && fs::read_dir(&self.folder)?.count() >= MAX_TEXTS {
            return Err(io::ErrorKind::StorageFull.into());
        }
        // Whole or not at all, even if the process is killed while it writes.
        let fresh = path.with_extension("new");
        let mut file =
            fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&fresh)?;
        file.write_all(format!("{name}\n{text}").as_bytes())?;
        file.sync_data()?;
        fs::rename(&fresh, &path)
    }

    /// The same, and the oldest text makes room if there are too many.
    pub(crate) fn keep_newest(&self, name: &str, text: &str) -> io::Result<()> {
        match self.keep(name, text) {
            Err(error) if error.kind() == io::ErrorKind::StorageFull => {
                let files = fs::read_dir(&self.folder)?.flatten();
                let age = |file: &fs::DirEntry| file.metadata().and_then(|known| known.modified()).ok();
                if let Some(oldest) = files.min_by_key(age) {
                    fs::remove_file(oldest.path())?;
                }
                self.keep(name, text)
            }
            kept => kept,
        }
    }

    /// All texts with their names; what cannot be read is left out.
    pub(crate) fn all(&self) -> Vec<(String, String)> {
        let Ok(files) = fs::read_dir(&self.folder) else { return Vec::new() };
        let texts = files.flatten().filter(|file| file.path().extension().is_none()).filter_map(|file| {
            let text = fs::read_to_string(file.path()).ok()?;
            let (name, text) = text.split_once('\n')?;
            Some((name.to_owned(), text.to_owned()))
        });
        let mut texts: Vec<_> = texts.collect();
        texts.sort();
        texts
    }

    /// The text under a name.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        let text = fs::read_to_string(self.file(name)).ok()?;
        text.split_once('\n').filter(|(known, _)| *known == name).map(|(_, text)| text.to_owned())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(&blake3::hash(name.as_bytes()).to_hex()[..32])
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    #[test]
    fn a_text_is_kept_until_it_is_sent_and_nobody_else_reads_it() {
        let root = tempfile::tempdir().unwrap();
        let texts = TypedTexts::in_folder(root.path().join("a/typed"));
        assert!(texts.all().is_empty());
        texts.keep("reply:1", "half a\nthought").unwrap();
        texts.keep("reply:1", "half a\nthought, and more").unwrap();
        texts.keep("comment:a.rs:3", "x").unwrap();
        let again = TypedTexts::in_folder(root.path().join("a/typed"));
        assert_eq!(again.text("reply:1").as_deref(), Some("half a\nthought, and more"));
        assert_eq!(again.all().len(), 2);
        let mode = |path: &std::path::Path| fs::metadata(path).unwrap().mode() & 0o777;
        assert_eq!((mode(&texts.folder), mode(&texts.file("reply:1"))), (0o700, 0o600));
        texts.keep("reply:1", "").unwrap();
        texts.keep("reply:1", "").unwrap();
        assert_eq!(again.all(), [("comment:a.rs:3".to_owned(), "x".to_owned())]);
    }

    #[test]
    fn there_is_a_limit_and_room_can_be_made() {
        let root = tempfile::tempdir().unwrap();
        let texts = TypedTexts::in_folder(root.path().join("typed"));
        for number in 0..MAX_TEXTS {
            texts.keep(&format!("t{number}"), "x").unwrap();
        }
        assert!(texts.keep("more", "x").is_err());
        texts.keep_newest("more", "x").unwrap();
        assert_eq!((texts.text("more").as_deref(), texts.all().len()), (Some("x"), MAX_TEXTS));
    }

    #[test]
    fn what_is_no_text_or_too_long_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let texts = TypedTexts::in_folder(root.path().join("typed"));
        for (name, text) in
            [("", "x"), ("a\nb", "x"), (&"x".repeat(5000)[..], "x"), ("a", &"x".repeat(600 << 10)[..])]
        {
            assert!(texts.keep(name, text).is_err());
        }
        assert!(texts.all().is_empty());
    }
}
