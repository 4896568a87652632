//! The programs are linked so that nobody can guess where their code is, or write over what leads to libraries.

use std::fs;

use postil_testkit::skipped;

/// A program that is loaded wherever there is room; one at a fixed address has a 2.
const DYNAMIC_PROGRAM: u16 = 3;

/// Where the loader finds what it is to do.
const DYNAMIC_SEGMENT: u32 = 2;

/// What is read-only once the loader is done with it.
const RELRO_SEGMENT: u32 = 0x6474_e552;

/// Entries for the loader that say to resolve everything at the start: one by itself, and two of which a bit does.
const BIND_NOW: u64 = 24;
const FLAGS: (u64, u64) = (30, 0x8);
const FLAGS_1: (u64, u64) = (0x6fff_fffb, 0x1);

/// A program for the loader of Linux, of 64 bits with the lowest byte first.
struct Elf(Vec<u8>);

impl Elf {
    fn read(path: &str) -> Option<Self> {
        let bytes = fs::read(path).expect("the program was built for this test");
        bytes.starts_with(b"\x7fELF\x02\x01").then_some(Self(bytes))
    }

    fn number<const N: usize>(&self, at: u64) -> u64 {
        let at = usize::try_from(at).expect("an offset in a file that is in memory");
        let mut wide = [0; 8];
        wide[..N].copy_from_slice(&self.0[at..at + N]);
        u64::from_le_bytes(wide)
    }

    fn kind(&self) -> u64 {
        self.number::<2>(16)
    }

    /// Where the segment of this kind is in the file, and how long.
    fn segment(&self, kind: u32) -> Option<(u64, u64)> {
        let (table, size, count) = (self.number::<8>(32), self.number::<2>(54), self.number::<2>(56));
        let mut headers = (0..count).map(|index| table + index * size);
        let header = headers.find(|header| self.number::<4>(*header) == u64::from(kind))?;
        Some((self.number::<8>(header + 8), self.number::<8>(header + 32)))
    }

    fn resolves_at_start(&self) -> bool {
        let Some((start, length)) = self.segment(DYNAMIC_SEGMENT) else { return false };
        (start..start + length).step_by(16).any(|entry| {
            let (tag, value) = (self.number::<8>(entry), self.number::<8>(entry + 8));
            tag == BIND_NOW || [FLAGS, FLAGS_1].iter().any(|(flags, bit)| tag == *flags && value & bit != 0)
        })
    }
}

#[test]
fn the_programs_are_position_independent_with_full_relro() {
    for program in [env!("CARGO_BIN_EXE_postil"), env!("CARGO_BIN_EXE_git-postil")] {
        let Some(elf) = Elf::read(program) else { return skipped("programs in the format ELF of 64 bits") };
        assert_eq!(elf.kind(), u64::from(DYNAMIC_PROGRAM), "{program} is linked at a fixed address");
        assert!(elf.segment(RELRO_SEGMENT).is_some(), "{program} keeps no table read-only");
        assert!(elf.resolves_at_start(), "{program} leaves functions of libraries to be found later");
    }
}
