//! A cache of a property of characters that is costly to find.

use std::sync::atomic::{AtomicU8, Ordering};

/// Values of the characters of the Basic Multilingual Plane; 0 where not computed yet. A value is
/// never 0.
pub(crate) struct CharCache([AtomicU8; 0x1_0000]);

impl CharCache {
    pub const fn new() -> Self {
        CharCache([const { AtomicU8::new(0) }; 0x1_0000])
    }

    /// Returns the value of `c`, which `compute` finds.
    #[inline]
    pub fn look_up(&self, c: char, compute: fn(char) -> u8) -> u8 {
        let Some(cached) = self.0.get(c as usize) else {
            return compute(c);
        };
        match cached.load(Ordering::Relaxed) {
            0 => {
                let value = compute(c);
                cached.store(value, Ordering::Relaxed);
                value
            }
            value => value,
        }
    }
}
