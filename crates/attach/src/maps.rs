//! What is mapped where in a process: `/proc/PID/maps`.

use std::ops::Range;

/// One line of `/proc/PID/maps`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mapping {
    pub(crate) addresses: Range<u64>,
    pub(crate) is_writable: bool,
    pub(crate) is_shared: bool,
    /// Where in the file it begins.
    pub(crate) offset: u64,
    /// The file; empty for anonymous memory, `[heap]` and the like for what the kernel names.
    pub(crate) path: String,
}

/// A file that is mapped, with all its mappings and the anonymous memory behind them (`.bss`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Object {
    pub(crate) path: String,
    /// The address of the file's first byte.
    pub(crate) start: u64,
    /// The writable parts.
    pub(crate) writable: Vec<Range<u64>>,
}

/// All mappings in the text of `/proc/PID/maps`, by address.
pub(crate) fn parse(text: &str) -> Vec<Mapping> {
    text.lines().filter_map(mapping).collect()
}

fn mapping(line: &str) -> Option<Mapping> {
    let mut rest = line;
    let mut word = || {
        let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
        rest = after.trim_start_matches(' ');
        word
    };
    let (addresses, permissions, offset) = (word(), word(), word());
    let (_device, _inode) = (word(), word());
    let (start, end) = addresses.split_once('-')?;
    let number = |text| u64::from_str_radix(text, 16).ok();
    let permissions = permissions.as_bytes();
    Some(Mapping {
        addresses: number(start)?..number(end)?,
        is_writable: permissions.get(1) == Some(&b'w'),
        is_shared: permissions.get(3) == Some(&b's'),
        offset: number(offset)?,
        path: rest.to_owned(),
    })
}

/// The mapped files.
pub(crate) fn objects(mappings: &[Mapping]) -> Vec<Object> {
    let mut objects: Vec<Object> = Vec::new();
    let mut end = 0;
    for mapping in mappings {
        let last = objects.last_mut();
        let is_file = mapping.path.starts_with('/') && !mapping.is_shared;
        let continues = last.as_ref().is_some_and(|last| last.path == mapping.path);
        let is_bss = mapping.path.is_empty() && mapping.addresses.start == end;
        match last {
            Some(last) if (continues || is_bss) && mapping.is_writable => {
                last.writable.push(mapping.addresses.clone());
            }
            Some(_) if continues || is_bss => {}
            _ if is_file && mapping.offset == 0 => objects.push(Object {
                path: mapping.path.clone(),
                start: mapping.addresses.start,
                writable: Vec::new(),
            }),
            _ => {}
        }
        if is_file || is_bss {
            end = mapping.addresses.end;
        }
    }
    objects
}

/// The memory that processes share and that has no file of its own: OPcache's.
pub(crate) fn shared_memory(mappings: &[Mapping]) -> Vec<Range<u64>> {
    let is_shared = |mapping: &&Mapping| mapping.is_shared && mapping.is_writable;
    let shared = mappings.iter().filter(is_shared);
    shared.map(|mapping| mapping.addresses.clone()).collect()
}

/// Whether an address is in one of the ranges.
pub(crate) fn is_in(ranges: &[Range<u64>], address: u64) -> bool {
    ranges.iter().any(|range| range.contains(&address))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
55d0c4e00000-55d0c4f00000 r--p 00000000 fe:00 1234                       /usr/bin/php8.2
55d0c4f00000-55d0c5200000 r-xp 00100000 fe:00 1234                       /usr/bin/php8.2
55d0c5300000-55d0c5310000 rw-p 00500000 fe:00 1234                       /usr/bin/php8.2
55d0c5310000-55d0c5330000 rw-p 00000000 00:00 0 
55d0c6000000-55d0c6100000 rw-p 00000000 00:00 0                          [heap]
7f0000000000-7f0008000000 rw-s 00000000 00:01 77                         /dev/zero (deleted)
7f0010000000-7f0010010000 r-xp 00000000 fe:00 99                         /opt/with a blank/libphp.so
7f0010010000-7f0010020000 rw-p 00010000 fe:00 99                         /opt/with a blank/libphp.so
7f0010030000-7f0010040000 rw-p 00000000 00:00 0 
";

    #[test]
    fn a_file_has_its_writable_parts_and_the_memory_behind_them() {
        let objects = objects(&parse(TEXT));
        assert_eq!(objects.len(), 2);
        assert_eq!(objects[0].path, "/usr/bin/php8.2");
        assert_eq!(objects[0].start, 0x55d0_c4e0_0000);
        let data = 0x55d0_c530_0000..0x55d0_c531_0000;
        assert_eq!(
            objects[0].writable,
            [data, 0x55d0_c531_0000..0x55d0_c533_0000]
        );
        assert_eq!(objects[1].path, "/opt/with a blank/libphp.so");
        // A gap is before the last mapping: it is not the library's.
        assert_eq!(objects[1].writable.len(), 1);
        assert_eq!(objects[1].writable[0], 0x7f00_1001_0000..0x7f00_1002_0000);
    }

    #[test]
    fn shared_memory_is_that_of_several_processes() {
        let shared = shared_memory(&parse(TEXT));
        assert_eq!(shared.len(), 1);
        assert_eq!(shared[0], 0x7f00_0000_0000..0x7f00_0800_0000);
    }

    #[test]
    fn what_is_no_mapping_is_skipped() {
        assert_eq!(parse("\nabc\n1-2\nzz-1 r--p 0 0 0 x\n"), []);
    }
}
