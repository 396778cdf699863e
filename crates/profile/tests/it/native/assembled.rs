//! Files assembled by hand, with correct checksums.

/// A section's kind and payload.
pub(crate) type Section<'a> = (u8, &'a [u8]);

/// A file of those sections, with right checksums, by a checksum of its own.
pub(crate) fn assembled(sections: &[Section<'_>]) -> Vec<u8> {
    fn crc(bytes: &[u8]) -> u32 {
        let mut crc = u32::MAX;
        for byte in bytes {
            crc ^= u32::from(*byte);
            for _ in 0..8 {
                crc = crc >> 1 ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
            }
        }
        !crc
    }
    let mut file = b"\x89XHP\r\n\x1A\n\x01\x00".to_vec();
    let mut summed = file.clone();
    for (kind, payload) in sections {
        let length = u32::try_from(payload.len()).unwrap().to_le_bytes();
        let section = [&[*kind][..], &length, payload].concat();
        summed.extend_from_slice(&section);
        file.extend_from_slice(&section);
        file.extend_from_slice(&crc(&summed).to_le_bytes());
    }
    file
}

/// The first symbol of every file.
pub(crate) const MAIN: &[u8] = b"\x01\x00\x00\x00\x06main()";
