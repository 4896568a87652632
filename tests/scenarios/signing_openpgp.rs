//! Who signs commits with gpg signs comments with it too, and others see who did.

use postil_testkit::skipped;

use crate::suggesting::json;
use crate::support::world::{Checkout, World};

/// Ends what gpg started beside.
struct Agent<'a>(&'a Checkout<'a>);

impl Drop for Agent<'_> {
    fn drop(&mut self) {
        let _ = self.0.command("gpgconf").args(["--kill", "all"]).output();
    }
}

/// Whether gpg did this.
fn gpg(person: &Checkout<'_>, args: &[&str]) -> bool {
    let mut command = person.command("gpg");
    command.args(["--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", ""]).args(args);
    command.output().is_ok_and(|output| output.status.success())
}

#[test]
fn a_comment_is_signed_with_the_key_of_the_commits() {
    let world = World::new();
    let alice = world.repository("alice");
    if !gpg(&alice, &["--version"]) {
        return skipped("gpg");
    }
    let _agent = Agent(&alice);
    let person = "alice <alice@example.com>";
    assert!(gpg(&alice, &["--quick-generate-key", person, "ed25519", "sign", "never"]), "a key can be made");
    alice.write("a.txt", "one\ntwo\n");
    alice.commit("first");
    alice.git("config commit.gpgSign true");
    alice.git("config user.signingKey alice@example.com");
    alice.postil("comment a.txt:2 -m 'why two?'").code(0);
    let shown = alice.postil("show @").code(0).stdout();
    assert!(shown.contains("(signed by alice") && shown.contains("why two?"), "{shown}");
    let signature = |at: &str| json(&alice.postil("show @ --json")).pointer(at).cloned().unwrap_or_default();
    assert_eq!(signature("/thread/comments/0/signature/state"), "verified");
    assert_eq!(signature("/thread/comments/0/signature/author_differs"), false);
    // A key that is not there: nothing is written, and the text is not lost.
    alice.git("config user.signingKey nobody@example.com");
    let refused = alice.postil("comment a.txt:1 -m 'why one?'");
    refused.code(5);
    assert!(refused.stderr().contains("nobody@example.com"), "{}", refused.stderr());
    assert!(!alice.postil("list").stdout().contains("why one?"));
}
