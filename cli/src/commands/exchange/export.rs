//! `postil export`

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use postil_protocol::{ByteText, Detail, Export, ExportFormat, ExportedFile, List, Mark};

use crate::commands::Context;
use crate::commands::reading::list::{self, ListArgs};
use crate::failure::{Failure, FailureKind};
use crate::render::count;
use crate::sanitize;

/// Export threads in the format of another tool
///
/// Takes the same filters as `postil list`, and writes the current positions.
/// SARIF, rdjson and JSON lines can be imported again, except for comments on a
/// whole review. Drafts are not exported.
///
/// `comments` writes one file per source file into the directory given with -o.
/// Without -o, it can only export the threads of one source file.
///
/// Examples:
///
///     postil export --format sarif -o review.sarif
///     postil export --format rdjsonl src/ --severity blocker | reviewdog -f=rdjsonl
///     postil export --format comments -o .
///     postil export --format json --all
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct ExportArgs {
    /// Format of the file
    #[arg(short, long, value_name = "NAME")]
    format: ExportedFormat,

    /// Write to this file (for `comments`, this directory) instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    filter: ListArgs,
}

/// A format that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum ExportedFormat {
    /// JSON lines, one thread per line, as described in docs/protocol.md
    Json,
    /// SARIF 2.1.0
    Sarif,
    /// reviewdog, one object
    Rdjson,
    /// reviewdog, one object per line
    Rdjsonl,
    /// `.comments` files, version 2.0
    Comments,
}

impl ExportedFormat {
    fn wanted(self) -> ExportFormat {
        match self {
            Self::Json => ExportFormat::Json,
            Self::Sarif => ExportFormat::Sarif,
            Self::Rdjson => ExportFormat::Rdjson,
            Self::Rdjsonl => ExportFormat::Rdjsonl,
            Self::Comments => ExportFormat::Comments,
        }
    }
}

/// Exports.
pub fn run(args: &ExportArgs, context: &Context) -> Result<(), Failure> {
    // Answered here: a text may be longer than what the daemon sends at once.
    let (mut session, mut screen) = context.begin_in_process()?;
    let output = args.output.as_deref().filter(|file| file.as_os_str() != "-");
    let List { scope, filter, head, limit, .. } = list::list_params(&args.filter, &session, Detail::Full)?;
    let reply = session.ask(Export { format: args.format.wanted(), scope, filter, head, limit })?;
    if reply.left_out > 0 {
        let threads = count(reply.left_out, "thread", "threads");
        screen.print_message(format!(
            "note: left out {threads} about a whole review; this format needs a file"
        ));
    }
    let content = match (args.format, output, reply.files.as_slice()) {
        (ExportedFormat::Comments, Some(folder), files) => {
            let folder = context.at.directory.join(folder);
            fs::create_dir_all(&folder).map_err(|error| not_written(&folder, error))?;
            for file in files {
                write_below(&folder, file)?;
            }
            screen.print_message(format!("wrote {}", count(files.len(), "file", "files")));
            return screen.close();
        }
        (_, _, []) => String::new(),
        (_, _, [only]) => only.text.clone(),
        (_, _, files) => {
            let what =
                format!("the threads are in {} files, and each needs its own output file", files.len());
            let hint = "give a directory with `-o`, or one source file";
            return Err(Failure::new(FailureKind::Usage, what).hint(hint));
        }
    };
    // Every format is JSON, which may end up on a terminal.
    let content = sanitize::json(content);
    match output {
        None if content.is_empty() => {}
        None if context.is_json() && args.format == ExportedFormat::Json => {
            for line in content.lines() {
                screen.line(with_mark(line, &reply.mark))?;
            }
        }
        None => screen.line(content.strip_suffix('\n').unwrap_or(&content))?,
        Some(file) => {
            let file = context.at.directory.join(file);
            write_file(&file, &content).map_err(|error| not_written(&file, error))?;
            let written = count(reply.threads, "thread", "threads");
            screen.print_message(format!("wrote {written} to {}", file.display()));
        }
    }
    screen.close()
}

/// A line of JSON with the mark of the answer; what is kept in a file has none, and stays the same.
fn with_mark(line: &str, mark: &Mark) -> String {
    let mark = serde_json::to_string(mark).expect("a mark is text");
    match line.split_once(',') {
        Some((version, rest)) => format!("{version},\"mark\":{mark},{rest}"),
        None => line.to_owned(),
    }
}

/// Writes the file of one source file, below a folder that it cannot leave.
fn write_below(folder: &Path, file: &ExportedFile) -> Result<(), Failure> {
    let mut at = folder.to_owned();
    let about = file.about.as_ref().map(ByteText::as_bytes).unwrap_or_default();
    let mut parts = about.split(|byte| *byte == b'/').peekable();
    while let Some(part) = parts.next() {
        at.push(OsStr::from_bytes(part));
        if parts.peek().is_some() {
            // A link leads to another place, which the user did not name.
            match fs::symlink_metadata(&at) {
                Ok(found) if found.is_dir() => {}
                Ok(_) => {
                    let error = std::io::Error::other("not a directory, or a symlink");
                    return Err(not_written(&at, error));
                }
                Err(_) => fs::create_dir_all(&at).map_err(|error| not_written(&at, error))?,
            }
        }
    }
    let mut name = at.into_os_string();
    name.push(".comments");
    let path = PathBuf::from(name);
    write_file(&path, &file.text).map_err(|error| not_written(&path, error))
}

/// Writes a whole file or none of it; a link is replaced, not followed.
fn write_file(path: &Path, content: &str) -> std::io::Result<()> {
    // What is no file, such as a terminal or a pipe, can only be written to.
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return fs::write(path, content);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().permissions(mode()).tempfile_in(folder)?;
    file.write_all(content.as_bytes())?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// What `umask` leaves of this is what other programs would have given the file.
fn mode() -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    fs::Permissions::from_mode(0o666)
}

fn not_written(path: &Path, error: std::io::Error) -> Failure {
    Failure::new(FailureKind::Unavailable, format!("could not write {}", path.display()))
        .because(error)
        .hint("choose another place with `-o`")
}
