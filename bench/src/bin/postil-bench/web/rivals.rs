//! Other tools that show diffs in a browser, where they are installed.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
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
    arguments: &["topic", "main", "--no-open"],
    code: "tr[id*=-line-] .select-text, table td code, .diff-line-content, pre code, [data-line-number] ~ td",
}];

impl RivalTool {
    /// Where `.ci/install-rivals` puts it, else as the system finds it.
    fn program(&self) -> PathBuf {
        let named = std::env::var_os("POSTIL_RIVALS").map(PathBuf::from);
        let usual = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache/postil-rivals"));
        let installed = named.or(usual).map(|folder| folder.join("node_modules/.bin").join(self.name));
        installed.filter(|program| program.is_file()).unwrap_or_else(|| self.name.into())
    }

    /// Its version, as it says it.
    pub fn version(&self) -> String {
        let told = Command::new(self.program()).arg("--version").output();
        told.map(|told| String::from_utf8_lossy(&told.stdout).trim().to_owned()).unwrap_or_default()
    }

    /// Starts it in a repository; `None` if it is not installed.
    pub fn start(&self, folder: &Path) -> BenchResult<Option<RivalServer>> {
        let program = self.program();
        let Ok(help) = Command::new(&program).arg("--help").output() else { return Ok(None) };
        // Older versions have another word for one line below the other.
        let is_old = String::from_utf8_lossy(&help.stdout).contains("side-by-side or inline");
        let mode = if is_old { "inline" } else { "unified" };
        // Some read a diff from their input unless that is a terminal, which `script` makes.
        let line = format!("exec {} {} --mode {mode}", program.display(), self.arguments.join(" "));
        let mut command = Command::new("script");
        command.args(["-q", "-e", "-c", &line, "/dev/null"]).current_dir(folder);
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
