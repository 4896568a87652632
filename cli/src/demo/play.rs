//! Plays the scenes in order on one stage, and takes the stage down whatever happens.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use super::scenes::SCENES;
use super::stage::DemoStage;
use crate::failure::{Failure, FailureKind};

/// Plays every scene; the first check that fails ends the demo.
pub fn play(out: &mut dyn Write) -> Result<(), Failure> {
    let began = Instant::now();
    let interrupted = listen_for_signals()?;
    let mut stage = DemoStage::build(out, interrupted)?;
    stage.narrate("postil demo: runs in a temporary repository. None of your files are changed.")?;
    for (title, scene) in SCENES {
        stage.title(title)?;
        scene(&mut stage)?;
    }
    stage.take_down()?;
    writeln!(
        out,
        "\nIn your own repository, `postil web` shows all of this in the browser, and `postil lsp --setup EDITOR`\n\
         prints what shows it in your editor: neovim, helix, emacs, vim, vscode."
    )
        .map_err(Failure::output)?;
    writeln!(out, "\nFinished in {:.1} s. All temporary files are removed.", began.elapsed().as_secs_f64())
        .map_err(Failure::output)
}

/// The first signal asks for a clean end; a second one ends the process at once.
fn listen_for_signals() -> Result<Arc<AtomicBool>, Failure> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        flag::register_conditional_default(signal, Arc::clone(&interrupted))
            .and_then(|_| flag::register(signal, Arc::clone(&interrupted)))
            .map_err(|error| {
                Failure::new(FailureKind::Unavailable, "could not listen for signals").because(error)
            })?;
    }
    Ok(interrupted)
}
