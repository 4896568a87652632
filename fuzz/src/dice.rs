//! Numbers for tests that try many inputs: they look thrown, and are the same on every machine.

/// Numbers that look thrown and are the same in every run (xorshift64*).
pub struct Dice(u64);

impl Dice {
    /// Begins at a number, which must not be zero.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below another one.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        usize::try_from(number).expect("32 bits fit") % bound
    }

    /// One of several.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}
