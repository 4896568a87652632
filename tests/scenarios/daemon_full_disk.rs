//! A disk that is full refuses new words in words of its own, and keeps all old ones.

use postil_testkit::skipped;

use crate::support::finished::Finished;
use crate::support::postil::POSTIL;
use crate::support::world::World;

/// Runs alone with a small disk: the folder `$1` is one of two megabytes, seen by nobody else.
const STORY: &str = r#"
mount -t tmpfs -o size=2m tmpfs "$1"
mkdir "$1/repo" && cd "$1/repo"
git init --quiet --initial-branch=main .
printf 'one\ntwo\nthree\n' > a.txt
git add a.txt && git commit --quiet -m first
postil=$2
told() { echo "== $1"; shift; code=0; "$@" 2>&1 || code=$?; echo "code $code"; }
told first "$postil" comment a.txt:1 -m before
trap '"$postil" daemon stop > /dev/null 2>&1' EXIT
"$postil" --json daemon status > "$HOME/pid-before"
dd if=/dev/zero of="$1/ballast" bs=4096 2> /dev/null || true
told full "$postil" comment a.txt:2 -m meanwhile
told listed "$postil" list
rm "$1/ballast"
told freed "$postil" comment a.txt:3 -m afterwards
told all "$postil" list
told checked "$postil" doctor
git fsck --strict 2>&1
"$postil" --json daemon status > "$HOME/pid-after"
"#;

#[test]
fn a_full_disk_is_told_and_nothing_is_lost() {
    let world = World::new();
    let alone = ["--user", "--map-root-user", "--mount"];
    let small = |script: &str| {
        let mut command = world.command("unshare");
        command.args(alone).args(["sh", "-euc", script, "sh"]).arg(world.people()).arg(POSTIL);
        for role in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{role}_NAME"), "alice")
                .env(format!("GIT_{role}_EMAIL"), "alice@example.com");
        }
        command
    };
    let can = small("mount -t tmpfs -o size=2m tmpfs \"$1\"").output();
    if !can.is_ok_and(|output| output.status.success()) {
        return skipped("unshare, and the right to mount a small disk");
    }
    let finished = Finished::run(&mut small(STORY));
    let told = finished.code(0).stdout();
    let part = |name: &str| {
        let from = told.split_once(&format!("== {name}\n")).map_or("", |(_, behind)| behind);
        from.split("== ").next().unwrap_or_default().to_owned()
    };
    assert!(part("first").ends_with("code 0\n"), "{told}");
    let full = part("full");
    assert!(full.contains("No space left on device") && full.ends_with("code 5\n"), "{full}");
    assert!(full.contains("hint: "), "{full}");
    let listed = part("listed");
    assert!(listed.contains("before") && !listed.contains("meanwhile"), "{listed}");
    assert!(part("freed").ends_with("code 0\n"), "{told}");
    let all = part("all");
    assert!(all.contains("before") && all.contains("afterwards") && !all.contains("meanwhile"), "{all}");
    assert!(part("checked").contains("no problems found"), "{told}");
    let pid = |name: &str| {
        let status = std::fs::read_to_string(world.home().join(name)).expect("it was written");
        let status: serde_json::Value = serde_json::from_str(&status).expect("JSON");
        status["pid"].as_u64().expect("a daemon runs")
    };
    assert_eq!(pid("pid-before"), pid("pid-after"), "the same daemon did all this");
}
