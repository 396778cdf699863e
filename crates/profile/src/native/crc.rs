//! CRC-32 as in gzip, PNG and PHP's `crc32b`, sixteen bytes at a time.

/// A checksum that can be continued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Crc32(u32);

const POLYNOMIAL: u32 = 0xEDB8_8320;

static TABLES: [[u32; 256]; 16] = tables();

const fn tables() -> [[u32; 256]; 16] {
    let mut tables = [[0; 256]; 16];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "below 256")]
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = (crc >> 1) ^ (POLYNOMIAL & (crc & 1).wrapping_neg());
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut table = 1;
    while table < 16 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[table - 1][byte];
            tables[table][byte] = (before >> 8) ^ tables[0][(before & 0xFF) as usize];
            byte += 1;
        }
        table += 1;
    }
    tables
}

impl Crc32 {
    /// The checksum of no bytes.
    pub(super) const fn new() -> Self {
        Self(0xFFFF_FFFF)
    }

    /// Continues with `bytes`.
    pub(super) fn update(&mut self, bytes: &[u8]) {
        let mut crc = self.0;
        let (blocks, rest) = bytes.as_chunks::<16>();
        for block in blocks {
            let [a, b, c, d, e @ .., m, n, o, p] = *block;
            let [i, j, k, l] = crc.to_le_bytes();
            let [e, f, g, h, q, r, s, t] = e;
            // Only the first four bytes depend on the previous block.
            crc = (look(11, e) ^ look(10, f) ^ look(9, g) ^ look(8, h))
                ^ (look(7, q) ^ look(6, r) ^ look(5, s) ^ look(4, t))
                ^ (look(3, m) ^ look(2, n) ^ look(1, o) ^ look(0, p))
                ^ (look(15, a ^ i) ^ look(14, b ^ j) ^ look(13, c ^ k) ^ look(12, d ^ l));
        }
        for &byte in rest {
            let [low, ..] = crc.to_le_bytes();
            crc = (crc >> 8) ^ look(0, low ^ byte);
        }
        self.0 = crc;
    }

    /// The checksum.
    pub(super) const fn value(self) -> u32 {
        !self.0
    }
}

#[inline(always)]
fn look(table: usize, byte: u8) -> u32 {
    // Constant tables and byte indexes: the compiler removes the bounds checks.
    #[expect(clippy::indexing_slicing, reason = "16 tables of 256 entries")]
    TABLES[table & 15][usize::from(byte)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_value_is_that_of_crc_32() {
        let mut crc = Crc32::new();
        assert_eq!(crc.value(), 0);
        crc.update(b"123456789");
        assert_eq!(crc.value(), 0xCBF4_3926);
    }

    #[test]
    fn pieces_of_any_length_give_the_checksum_of_the_whole() {
        let bytes: Vec<u8> = (0..=255).collect();
        let mut whole = Crc32::new();
        whole.update(&bytes);
        for cut in 0..bytes.len() {
            let mut pieces = Crc32::new();
            pieces.update(&bytes[..cut]);
            pieces.update(&bytes[cut..]);
            assert_eq!(pieces, whole, "{cut}");
        }
    }
}
