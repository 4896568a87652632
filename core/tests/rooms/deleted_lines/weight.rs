//! Deleted lines of which some come back: they count by what they say.

use postil_core::record::{LineSpan, Range};
use postil_testkit::Sandbox;

use super::change::Change;

/// The function that the change deletes, nine lines from the third on.
const DELETED: &str = "fn total(orders: &[Order]) -> u32 {
    let mut sum = 0;
    for order in orders {
        sum += order.price;
    }

    log(sum);
    sum
}
";

/// The two lines above it, which stay.
const ABOVE: &str = "use crate::orders;\n\n";

/// What stands below it.
const BELOW: &str = "\nfn close(journal: Journal) {\n    journal.flush();\n}\n";

/// A function that nobody deleted, with brackets as every function has.
const HELPER: &str = "\nfn is_empty(journal: &Journal) -> bool {\n    journal.entries() == 0\n}\n";

/// Comments on the deletion of the function, and sees the comment after `head` was committed.
fn check(head: &str, expected: &str) {
    let sandbox = Sandbox::new();
    let change = Change::new(&sandbox);
    let commit = |branch: &str, from: &str, file: &str, content: &str| {
        change.repo.git(&["checkout", "-q", "-B", branch, from]);
        change.repo.git(&["rm", "-q", "-f", "--ignore-unmatch", "a.rs"]);
        change.repo.write(file, content);
        change.repo.git(&["add", "-A"]);
        change.repo.git(&["commit", "-q", "-m", branch]);
    };
    commit("base", "main", "a.rs", &format!("{ABOVE}{DELETED}{BELOW}"));
    commit("cut", "base", "a.rs", &format!("{ABOVE}{BELOW}"));
    let range = Range::lines(LineSpan::from_numbers(3, 11).expect("nine lines"));
    let anchor = change.on_old_range("base", "cut", "a.rs", Some(range));
    for (name, file) in [("in place", "a.rs"), ("renamed", "b.rs")] {
        commit("later", "base", file, head);
        let told = change.seen(&anchor, "base", "later");
        let told: Vec<&str> = told.split_whitespace().take(3).collect();
        let lines = change.lines(&anchor, "base", "later");
        assert_eq!(format!("{} {lines}", told.join(" ")), expected, "{name}: {head}");
    }
}

#[test]
fn a_helper_with_brackets_of_its_own_restores_nothing() {
    check(&format!("{ABOVE}{BELOW}{HELPER}"), "anchored translated a.rs:3 3-11 1000");
    check(&format!("{ABOVE}{HELPER}{BELOW}"), "anchored translated a.rs:3 3-11 1000");
    check(&format!("{ABOVE}    }}\n\n}}\n{BELOW}"), "anchored translated a.rs:3 3-11 1000");
}

#[test]
fn lines_of_which_some_are_back_stand_where_the_rest_is_still_deleted() {
    // The loop is back, the end of the function is not: two of six lines that say something are deleted still.
    let front: String = DELETED.split_inclusive('\n').take(5).collect();
    check(&format!("{ABOVE}{front}{BELOW}"), "outdated restored a.rs:9 9-11 333");
    // One line of six is back.
    check(&format!("{ABOVE}    log(sum);\n{BELOW}"), "outdated restored a.rs:3 3-11 833");
    check(&format!("{ABOVE}{DELETED}{BELOW}{HELPER}"), "outdated restored a.rs:3 3-11 1000");
}
