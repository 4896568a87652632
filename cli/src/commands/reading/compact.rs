//! `--compact`: threads in few words, for agents.

use postil_compact::{CompactDetail, CompactQuestion, PAGE_BYTES, compact_show, list_text};
use postil_protocol::{CompactList, List, ShowReply};

use crate::connect::CommandSession;
use crate::failure::Failure;
use crate::render::Screen;

/// How a list is made compact.
#[derive(Debug, clap::Args)]
pub struct CompactArgs {
    /// Print few words, for agents: threads by file, each with its code as it is now, ending with the mark
    ///
    /// DETAIL is `line` (no code), `code` (the default: also the last reply, and the
    /// original lines where they differ) or `full` (all comments). With --json, prints
    /// the same as compact JSON.
    #[arg(
        long,
        value_name = "DETAIL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "code",
        conflicts_with = "format",
        verbatim_doc_comment
    )]
    compact: Option<CompactArg>,

    /// With --compact: print at most this many bytes; the last lines have the cursor of the next page
    #[arg(long, value_name = "BYTES", requires = "compact", default_value_t = PAGE_BYTES, hide_default_value = true)]
    max_bytes: usize,

    /// With --compact: continue after the page that ended with `next CURSOR`
    #[arg(long, value_name = "CURSOR", requires = "compact")]
    after: Option<String>,
}

/// How much of each thread is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum CompactArg {
    /// Place, author and first words.
    Line,
    /// Also the code.
    Code,
    /// All comments.
    Full,
}

impl CompactArgs {
    /// How much is wanted; `None` if the list is not to be compact.
    pub fn detail(&self) -> Option<CompactDetail> {
        self.compact.map(|wanted| match wanted {
            CompactArg::Line => CompactDetail::Line,
            CompactArg::Code => CompactDetail::Code,
            CompactArg::Full => CompactDetail::Full,
        })
    }

    /// Prints one page of a list.
    pub fn list(
        &self,
        list: List,
        detail: CompactDetail,
        session: &mut CommandSession,
        screen: &mut Screen,
    ) -> Result<CompactList, Failure> {
        let list = List { cursor: self.after.clone(), ..list };
        let question = CompactQuestion { list, detail, most_bytes: self.max_bytes };
        let list = question.ask(|list| session.ask(list))?;
        print(&list, screen)?;
        Ok(list)
    }
}

/// Prints a thread, whole.
pub fn print_shown(reply: &ShowReply, screen: &mut Screen) -> Result<(), Failure> {
    print(&compact_show(reply), screen)
}

/// Prints a list as compact JSON or as text.
pub fn print(list: &CompactList, screen: &mut Screen) -> Result<(), Failure> {
    if screen.is_json() {
        return screen.json_done(list);
    }
    let naming = screen.naming.clone();
    screen.lines(&list_text(list, &|path| naming.path(path)))
}
