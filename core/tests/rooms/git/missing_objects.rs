//! Objects that git moves from place to place are never taken for lost.

use std::sync::atomic::{AtomicBool, Ordering};

use postil_core::git::ObjectId;
use postil_testkit::Sandbox;

/// How often somebody looks, at least.
const LOOKS: usize = 300;

/// How often git moves everything, at least.
const MOVES: usize = 20;

#[test]
fn an_object_that_git_packs_again_and_again_is_never_lacking() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    let ids: Vec<ObjectId> = (0..4).map(|n| repo.commit("file", &format!("{n}\n"))).map(hex).collect();
    let nowhere = hex("1".repeat(40));
    let opened = repo.open();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let looking = scope.spawn(|| {
            let mut looks = 0;
            while looks < LOOKS || !done.load(Ordering::Relaxed) {
                looks += 1;
                let asked = ids.iter().copied().chain([nowhere]);
                assert_eq!(opened.lacking(asked).unwrap(), [nowhere], "after {looks} looks");
            }
        });
        for n in 0..MOVES {
            repo.commit("other", &format!("{n}\n"));
            repo.git(&["repack", "-a", "-d", "-q"]);
        }
        done.store(true, Ordering::Relaxed);
        looking.join().unwrap();
    });
}

fn hex(id: impl AsRef<[u8]>) -> ObjectId {
    ObjectId::from_hex(id.as_ref()).unwrap()
}
