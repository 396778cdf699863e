//! Ids from content: the same profile gives the same id.

/// FNV-1a of 128 bits: deterministic, not cryptographic.
pub(crate) fn fingerprint(bytes: &[u8]) -> u128 {
    let mut hash = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128;
    for &byte in bytes {
        hash ^= u128::from(byte);
        hash = hash.wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
    }
    hash
}
