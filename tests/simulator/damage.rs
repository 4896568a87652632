//! Objects that go missing or are cut short, and come back.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use postil_testkit::Dice;

use crate::support::world::Checkout;

/// An object that was damaged, and how to put it back.
pub struct Damaged {
    file: PathBuf,
    content: Vec<u8>,
}

/// What happens to an object.
#[derive(Clone, Copy, Debug)]
pub enum Harm {
    Missing,
    Empty,
    CutShort,
    Garbled,
}

impl Harm {
    pub fn choose(dice: &mut Dice) -> Self {
        [Self::Missing, Self::Empty, Self::CutShort, Self::Garbled][dice.index(4)]
    }
}

impl Damaged {
    /// Damages an object of the notes, or of what is checked out: a commit, a tree or a blob.
    ///
    /// None if the object is in a pack: damaging one would harm many at once.
    pub fn choose(person: &Checkout<'_>, dice: &mut Dice, harm: Harm) -> Option<Self> {
        let of = ["refs/notes/reviews", "HEAD", "refs/notes/reviews^{tree}", "refs/notes/reviews:pins"];
        let object = match dice.index(6) {
            kind @ 0..4 => person.try_git(&format!("rev-parse --quiet --verify {}", of[kind])).stdout,
            _ => {
                let listed = person.try_git("ls-tree -r --format=%(objectname) refs/notes/reviews").stdout;
                let listed = String::from_utf8_lossy(&listed).into_owned();
                let names: Vec<&str> = listed.lines().collect();
                (!names.is_empty()).then(|| dice.pick(&names).as_bytes().to_vec())?
            }
        };
        let object = String::from_utf8_lossy(&object).trim().to_owned();
        let (folder, rest) = object.split_at_checked(2)?;
        let file = person.folder.join(".git/objects").join(folder).join(rest);
        let content = fs::read(&file).ok()?;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("it is ours");
        match harm {
            Harm::Missing => fs::remove_file(&file),
            Harm::Empty => fs::write(&file, b""),
            Harm::CutShort => fs::write(&file, &content[..content.len() / 2]),
            Harm::Garbled => fs::write(&file, vec![0x5a; content.len()]),
        }
        .expect("an object can be damaged");
        Some(Self { file, content })
    }

    /// Puts the object back.
    pub fn mend(self) {
        // A writer may have made it again, and git makes objects that nobody may write.
        let _ = fs::set_permissions(&self.file, fs::Permissions::from_mode(0o644));
        fs::create_dir_all(self.file.parent().expect("objects are in folders"))
            .expect("a folder can be made");
        fs::write(&self.file, self.content).expect("an object can be put back");
    }
}
