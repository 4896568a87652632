//! Other tools that show diffs in a browser, where they are installed.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use postil_testkit::wait_at_most;

use crate::BenchResult;

/// A tool that runs.
pub struct RivalServer {
    child: Child,
    pub address: String,
}

/// How a tool is started, and what its lines of code are.
pub struct RivalTool {
    pub name: &'static str,
    arguments: &'static [&'static str],
    pub code: &'static str,
}

/// The tools; each says its address on its first lines.
pub const RIVALS: [RivalTool; 1] = [RivalTool {
    name: "difit",
    arguments: &["topic", "main", "--no-open", "--mode", "unified"],
    code: "table td code, .diff-line-content, pre code, [data-line-number] ~ td",
}];

impl RivalTool {
    /// Starts it in a repository; `None` if it is not installed.
    pub fn start(&self, folder: &Path) -> BenchResult<Option<RivalServer>> {
        let mut command = Command::new(self.name);
        command.args(self.arguments).current_dir(folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let Ok(mut child) = command.spawn() else { return Ok(None) };
        let out = child.stdout.take().ok_or("its output was asked for")?;
        let (sender, told) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                let address = line.split_whitespace().find(|word| word.starts_with("http"));
                if let Some(address) = address
                    && sender.send(address.to_owned()).is_err()
                {
                    return;
                }
            }
        });
        let mut address = None;
        wait_at_most(Duration::from_secs(20), || {
            address = told.try_recv().ok();
            address.is_some()
        });
        let mut server = RivalServer { child, address: String::new() };
        server.address = address.ok_or_else(|| format!("{} does not say its address", self.name))?;
        Ok(Some(server))
    }
}

impl Drop for RivalServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
