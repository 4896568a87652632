//! The change that a comment carries: a patch, or a text for the lines that it is on.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use postil_protocol::{ByteText, Suggest};

use crate::failure::{Failure, FailureKind};

/// More is refused before it is read whole.
const MAX_CHANGE_BYTES: u64 = 16 << 20;

/// Where the change comes from.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ChangeArgs {
    /// Suggest the change in this patch, in any format; `-` reads standard input
    #[arg(long, value_name = "FILE", conflicts_with = "with")]
    patch: Option<PathBuf>,

    /// Suggest replacing the lines, or the whole file, with this file's text; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    with: Option<PathBuf>,
}

impl ChangeArgs {
    /// The change; `None` where none is given.
    pub fn take(&self, started: &Path) -> Result<Option<Suggest>, Failure> {
        Ok(match (&self.patch, &self.with) {
            (Some(file), _) => Some(Suggest::Patch(ByteText::new(read(started, file)?))),
            (None, Some(file)) => Some(Suggest::Replacement(ByteText::new(read(started, file)?))),
            (None, None) => None,
        })
    }
}

/// The bytes of a file that was named, or of standard input.
pub fn read(started: &Path, file: &Path) -> Result<Vec<u8>, Failure> {
    let name = if file.as_os_str() == "-" { "standard input".to_owned() } else { file.display().to_string() };
    let unreadable = |error| {
        Failure::new(FailureKind::NotFound, format!("could not read {name}"))
            .because(error)
            .hint("check the file name; `-` reads standard input")
    };
    let source: Box<dyn std::io::Read> = if file.as_os_str() == "-" {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(fs::File::open(started.join(file)).map_err(unreadable)?)
    };
    let mut bytes = Vec::new();
    source.take(MAX_CHANGE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_CHANGE_BYTES {
        return Err(Failure::new(FailureKind::Usage, format!("{name} is too large for a suggestion")));
    }
    Ok(bytes)
}
