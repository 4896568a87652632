//! `postil import`

use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use postil_client::Checkout;
use postil_protocol::{
    ByteText, Import, ImportFormat, ImportReply, ImportedFile, MAX_FRAME_BYTES, RepositoryRequest,
};
use postil_service::formats::MAX_INPUT_BYTES;

use crate::commands::Context;
use crate::commands::input::paths;
use crate::failure::{Failure, FailureKind};
use crate::render::line;

/// More bytes than this are read in this process: in JSON they may be too long for one message to the daemon.
const MAX_SENT_BYTES: usize = MAX_FRAME_BYTES / 8;

/// What to do about entries that were refused.
const REFUSED: &str = "see the warnings above; everything else was imported";

/// Import comments and findings from other tools
///
/// Imported threads have the tags `imported`, `from:SOURCE` and `id:NAME`.
/// Importing the same file again adds nothing. A finding that was moved,
/// reformatted or reworded since is the same thread, and its new words become an
/// edit. What somebody resolved stays resolved until its lines change or it
/// becomes more severe. The first fix of a finding becomes a suggestion, which
/// `postil apply` applies. Entries that cannot be read, or whose path is outside
/// the repository, are reported and skipped; the exit code is then 1.
///
/// `--retire` resolves a thread that is no longer reported only if nobody
/// answered it, the report covers its file, and its lines have changed.
///
/// `appraise` reads refs/notes/devtools/*, so it takes no files.
///
/// Examples:
///
///     cargo clippy --message-format=json | clippy-sarif | postil import -
///     postil import --retire report.sarif
///     postil import --max 20 codex-review.json
///     postil import src/*.comments
///     postil import --format appraise
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct ImportArgs {
    /// Format of the files; without it, the format is guessed from name and content
    #[arg(short, long, value_name = "NAME")]
    format: Option<FormatArg>,

    /// Resolve threads that the same tool reported earlier, no longer reports, and whose lines have changed
    #[arg(long)]
    retire: bool,

    /// With `--retire`, files that the report covers although it does not name them; `:/` for all
    #[arg(long, value_name = "PATHSPEC", requires = "retire")]
    covers: Vec<OsString>,

    /// With `--retire`, also resolve threads that were not reported at N commits, although their lines are the same
    #[arg(long, value_name = "N", requires = "retire", value_parser = clap::value_parser!(u32).range(1..))]
    absent: Option<u32>,

    /// Keep at most N threads of each tool, the most severe; the rest is counted in one comment on the review
    #[arg(long, value_name = "N")]
    max: Option<u32>,

    /// Files to import; `-` reads standard input
    #[arg(value_name = "FILE")]
    files: Vec<OsString>,
}

/// A format that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum FormatArg {
    /// `.comments` files, version 1.0 or 2.0
    Comments,
    /// The notes of git-appraise
    Appraise,
    /// SARIF 2.1.0
    Sarif,
    /// reviewdog, one object
    Rdjson,
    /// reviewdog, one object per line
    Rdjsonl,
    /// JSON lines exported by postil
    Json,
    /// A review by Codex, as JSON
    Codex,
}

impl FormatArg {
    /// The format of files; `None` for what is in notes.
    fn of_files(self) -> Option<ImportFormat> {
        Some(match self {
            Self::Comments => ImportFormat::Comments,
            Self::Appraise => return None,
            Self::Sarif => ImportFormat::Sarif,
            Self::Rdjson => ImportFormat::Rdjson,
            Self::Rdjsonl => ImportFormat::Rdjsonl,
            Self::Json => ImportFormat::Json,
            Self::Codex => ImportFormat::Codex,
        })
    }
}

/// Takes over.
pub fn run(args: &ImportArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    session.must_know_author()?;
    let covers = paths::pathspecs(session.checkout(), &args.covers)?;
    let (retire, absent, max) = (args.retire, args.absent, args.max);
    let mut import = Import { retire, covers, absent, max, ..Import::default() };
    match (args.format, args.files.as_slice()) {
        (Some(FormatArg::Appraise), []) => import.appraise = true,
        (Some(FormatArg::Appraise), _) => {
            let what = "`--format appraise` takes no files: it reads refs/notes/devtools/*";
            return Err(Failure::new(FailureKind::Usage, what).hint("remove the file names"));
        }
        (_, []) => {
            let hint = "give the files to import, `-` for standard input, or `--format appraise`";
            return Err(Failure::new(FailureKind::Usage, "no files to import").hint(hint));
        }
        (format, files) => {
            let format = format.and_then(FormatArg::of_files);
            for file in files {
                let read = || read(format, file, session.checkout(), &context.at.directory);
                // No progress line while the report is typed on a terminal.
                let read = if file == "-" { read() } else { context.progress().during("reading", read) };
                import.files.push(read?);
            }
        }
    }
    if import.files.iter().map(|file| file.content.as_bytes().len()).sum::<usize>() > MAX_SENT_BYTES {
        (session, _) = context.begin_in_process()?;
    }
    let reply = session.write(import)?;
    if context.is_json() {
        screen.json::<RepositoryRequest<Import>>(&reply)?;
    } else {
        for refused in &reply.refused {
            screen.print_message(format!(
                "warning: {}: {}",
                line(refused.id.as_bytes()),
                line(refused.reason.as_bytes())
            ));
        }
        for without in &reply.without_fix {
            screen.print_message(format!(
                "warning: {}: imported without its fix: {}",
                line(without.id.as_bytes()),
                line(without.reason.as_bytes())
            ));
        }
        screen.line(summary(&reply))?;
    }
    screen.close()?;
    match reply.refused.len() {
        0 => Ok(()),
        1 => {
            Err(Failure::new(FailureKind::CheckFailed, "1 entry was not imported").hint(REFUSED).in_result())
        }
        count => Err(Failure::new(FailureKind::CheckFailed, format!("{count} entries were not imported"))
            .hint(REFUSED)
            .in_result()),
    }
}

/// What came of it, on one line.
fn summary(reply: &ImportReply) -> String {
    let comments = |count: usize| if count == 1 { "1 comment".into() } else { format!("{count} comments") };
    let mut told = format!("imported {}", comments(reply.added.len()));
    let counts = [
        (reply.reviews as usize, "reviews and verdicts"),
        (reply.known as usize, "already imported"),
        (reply.changed as usize, "updated"),
        (reply.displaced as usize, "moved"),
        (reply.placed as usize, "put on their changed lines"),
        (reply.again.len(), "asked again"),
        (reply.fixes as usize, "with a suggestion"),
        (reply.without_fix.len(), "without their fix"),
        (reply.retired.len(), "retired"),
        (reply.reopened.len(), "reopened"),
        (reply.absent as usize, "no longer reported but left open"),
        (reply.left_out as usize, "left out"),
    ];
    for (count, what) in counts.iter().filter(|(count, _)| *count > 0) {
        told.extend([", ", &count.to_string(), " ", what]);
    }
    told
}

/// One file, as the service reads it.
fn read(
    format: Option<ImportFormat>,
    file: &OsStr,
    checkout: &Checkout,
    directory: &Path,
) -> Result<ImportedFile, Failure> {
    let name = if file == "-" { "standard input".to_owned() } else { file.display().to_string() };
    let content = bytes_of(file, directory).map_err(|error| {
        Failure::new(FailureKind::NotFound, format!("could not read {name}"))
            .because(error)
            .hint("check the file name, or use `-` for standard input")
    })?;
    let about = file.as_bytes().strip_suffix(b".comments").map(OsStr::from_bytes);
    let about = about.and_then(|about| paths::inside(checkout, about).ok()).map(ByteText::new);
    Ok(ImportedFile { format, name, content: ByteText::new(content), about })
}

/// The content of a file; one byte over the limit is enough to see that it is too large.
fn bytes_of(file: &OsStr, directory: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = MAX_INPUT_BYTES as u64 + 1;
    if file == "-" {
        std::io::stdin().lock().take(most).read_to_end(&mut bytes)?;
    } else {
        std::fs::File::open(directory.join(file))?.take(most).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}
