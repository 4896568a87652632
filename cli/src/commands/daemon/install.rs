//! `postil daemon install` and `uninstall`: the files that make a service manager start the daemon.

use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use postil_protocol::{ByteText, DaemonInstallReply};

use super::unit;
use crate::failure::{Failure, FailureKind};
use crate::render::{OutputFormat, versioned};

/// Who starts the daemon on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Managed {
    /// A service manager that has our files.
    By(ServiceManager),
    /// The first client that needs it.
    ByClients,
}

/// A service manager, and where its files for this user are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServiceManager {
    /// systemd's manager of this user.
    Systemd {
        /// Where units are.
        units: PathBuf,
    },
    /// launchd's agents of this user.
    Launchd {
        /// Where property lists are.
        agents: PathBuf,
    },
}

const SOCKET_UNIT: &str = "postil.socket";
const SERVICE_UNIT: &str = "postil.service";
const AGENT: &str = "org.postil.daemon.plist";

/// Who starts the daemon on this machine, by the files that are there.
pub fn managed() -> Managed {
    let service = ServiceManager::of_this_system();
    match service {
        Some(service) if service.files().iter().all(|file| file.exists()) => Managed::By(service),
        _ => Managed::ByClients,
    }
}

/// Writes the files for this user, and has the manager read them.
pub fn install(format: OutputFormat, out: &mut impl Write) -> Result<(), Failure> {
    let service = ServiceManager::of_this_system().ok_or_else(homeless)?;
    let program =
        std::env::current_exe().map_err(|error| failed("could not find the postil program", error))?;
    let contents = match &service {
        ServiceManager::Systemd { .. } => vec![unit::SOCKET.to_owned(), unit::service(&program)],
        ServiceManager::Launchd { .. } => vec![unit::property_list(&program)],
    };
    let new: Vec<PathBuf> = service.files().into_iter().filter(|file| !file.exists()).collect();
    let written = service.files().iter().zip(contents).try_for_each(|(file, content)| {
        write(file, &content).map_err(|error| failed(&format!("could not write {}", file.display()), error))
    });
    if let Err(failure) = written.and_then(|()| service.enable()) {
        // Files of a manager that does not take them would have it asked for the daemon from now on.
        for file in new {
            let _ = fs::remove_file(file);
        }
        return Err(failure);
    }
    let told = match format {
        OutputFormat::Text => {
            for file in service.files() {
                writeln!(out, "wrote {}", file.display()).map_err(Failure::output)?;
            }
            "installed; the system will start the daemon".to_owned()
        }
        OutputFormat::Json => {
            versioned(&DaemonInstallReply { installed: true, files: names(&service.files()) })?
        }
    };
    writeln!(out, "{told}").map_err(Failure::output)
}

/// Has the manager forget the daemon, and removes the files.
pub fn uninstall(format: OutputFormat, out: &mut impl Write) -> Result<(), Failure> {
    let service = ServiceManager::of_this_system().ok_or_else(homeless)?;
    let there: Vec<PathBuf> = service.files().into_iter().filter(|file| file.exists()).collect();
    // A manager that does not run has nothing to forget.
    let disabled = if there.is_empty() { Ok(()) } else { service.disable() };
    for file in &there {
        match fs::remove_file(file) {
            Ok(()) if format == OutputFormat::Json => {}
            Ok(()) => writeln!(out, "removed {}", file.display()).map_err(Failure::output)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(&format!("could not remove {}", file.display()), error)),
        }
    }
    match format {
        OutputFormat::Json => {
            let reply = DaemonInstallReply { installed: false, files: names(&there) };
            writeln!(out, "{}", versioned(&reply)?).map_err(Failure::output)?;
        }
        OutputFormat::Text if there.is_empty() => {
            writeln!(out, "not installed").map_err(Failure::output)?;
        }
        OutputFormat::Text => {}
    }
    disabled
}

impl ServiceManager {
    fn of_this_system() -> Option<Self> {
        let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = folder("HOME")?;
        if cfg!(target_os = "macos") {
            return Some(Self::Launchd { agents: home.join("Library/LaunchAgents") });
        }
        let config = folder("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
        Some(Self::Systemd { units: config.join("systemd/user") })
    }

    fn files(&self) -> Vec<PathBuf> {
        match self {
            Self::Systemd { units } => vec![units.join(SOCKET_UNIT), units.join(SERVICE_UNIT)],
            Self::Launchd { agents } => vec![agents.join(AGENT)],
        }
    }

    fn enable(&self) -> Result<(), Failure> {
        match self {
            Self::Systemd { .. } => {
                systemctl(&["daemon-reload"])?;
                systemctl(&["enable", "--now", SOCKET_UNIT])
            }
            Self::Launchd { agents } => {
                launchctl(&["bootstrap", &domain(), &agents.join(AGENT).to_string_lossy()])
            }
        }
    }

    fn disable(&self) -> Result<(), Failure> {
        match self {
            Self::Systemd { .. } => systemctl(&["disable", "--now", SOCKET_UNIT, SERVICE_UNIT]),
            Self::Launchd { agents } => {
                launchctl(&["bootout", &domain(), &agents.join(AGENT).to_string_lossy()])
            }
        }
    }

    /// Lets clients find it.
    pub fn start(&self) -> Result<(), Failure> {
        match self {
            Self::Systemd { .. } => systemctl(&["start", SOCKET_UNIT]),
            Self::Launchd { .. } => launchctl(&["kickstart", &format!("{}/org.postil.daemon", domain())]),
        }
    }

    /// Ends it, and whatever would start it again.
    pub fn stop(&self) -> Result<(), Failure> {
        match self {
            Self::Systemd { .. } => systemctl(&["stop", SOCKET_UNIT, SERVICE_UNIT]),
            Self::Launchd { agents } => {
                launchctl(&["bootout", &domain(), &agents.join(AGENT).to_string_lossy()])
            }
        }
    }

    /// The command that prints its log, where the manager keeps it.
    pub fn journal(&self) -> Option<&'static [&'static str]> {
        match self {
            Self::Systemd { .. } => Some(&["journalctl", "--user", "--unit", SERVICE_UNIT, "--no-pager"]),
            Self::Launchd { .. } => None,
        }
    }
}

fn names(files: &[PathBuf]) -> Vec<ByteText> {
    files.iter().map(|file| ByteText::new(file.as_os_str().as_bytes())).collect()
}

fn systemctl(args: &[&str]) -> Result<(), Failure> {
    ask("systemctl", &[&["--user"], args].concat())
}

fn launchctl(args: &[&str]) -> Result<(), Failure> {
    ask("launchctl", args)
}

fn domain() -> String {
    format!("gui/{}", rustix::process::geteuid().as_raw())
}

fn ask(program: &str, args: &[&str]) -> Result<(), Failure> {
    let line = format!("{program} {}", args.join(" "));
    let refused = |cause: String| {
        Failure::new(FailureKind::Unavailable, format!("`{line}` failed"))
            .because(cause)
            .hint("this is optional: commands start the daemon when they need it")
    };
    let output = Command::new(program).args(args).stdin(Stdio::null()).output();
    let output = output.map_err(|error| refused(error.to_string()))?;
    if output.status.success() {
        return Ok(());
    }
    Err(refused(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}

fn write(file: &Path, content: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(file, content)
}

fn homeless() -> Failure {
    Failure::new(FailureKind::Unavailable, "no home directory").hint("set HOME")
}

fn failed(what: &str, error: io::Error) -> Failure {
    Failure::new(FailureKind::Unavailable, what).because(error)
}
