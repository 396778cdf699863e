//! A core file: the memory of a process that has ended.
//!
//! The kernel writes what the process has changed. What it has only read is in the files that were mapped: PHP's binary
//! has the text of its constants, so the very binary is needed that has run.
//!
//! **Invariant:** a core file is only read, and not believed more than the memory of a process.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use object::elf::{
    ET_CORE, FileHeader64, NT_FILE, NT_PRPSINFO, PF_W, PT_LOAD, PT_NOTE, ProgramHeader64,
};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, ReadCache};

use crate::error::AttachError;
use crate::layout::to_usize;
use crate::maps::{Mapping, Object};
use crate::memory::{Memory, half_in, word_in};
use crate::process::Process;

/// A core file.
#[derive(Debug)]
pub(crate) struct CoreFile {
    pub(crate) mappings: Vec<Mapping>,
    pub(crate) process: Process,
    pub(crate) memory: CoreMemory,
}

/// Its memory.
#[derive(Debug)]
pub(crate) struct CoreMemory {
    pieces: Vec<Piece>,
}

/// Memory that a part of a file has.
#[derive(Debug)]
struct Piece {
    addresses: Range<u64>,
    file: Rc<File>,
    offset: u64,
}

/// The largest notes that are read: those of a process with thousands of threads.
const MOST_NOTES: u64 = 64 << 20;

impl CoreFile {
    /// Reads what a core file says of itself.
    pub(crate) fn open(path: &Path) -> Result<Self, AttachError> {
        let file_of_core = Rc::new(File::open(path).map_err(AttachError::Io)?);
        let cache = ReadCache::new(&*file_of_core);
        let broken = |_| AttachError::NoCore;
        let header = FileHeader64::<Endianness>::parse(&cache).map_err(broken)?;
        let endian = header.endian().map_err(broken)?;
        if header.e_type(endian) != ET_CORE || !header.is_little_endian() {
            return Err(AttachError::NoCore);
        }
        let headers: &[ProgramHeader64<Endianness>] =
            header.program_headers(endian, &cache).map_err(broken)?;
        let mut core = Self {
            mappings: Vec::new(),
            process: Process::unknown(),
            memory: CoreMemory { pieces: Vec::new() },
        };
        let mut files = Vec::new();
        for segment in headers
            .iter()
            .filter(|segment| segment.p_type(endian) == PT_NOTE)
        {
            if segment.p_filesz(endian) > MOST_NOTES {
                return Err(AttachError::NoCore);
            }
            let notes = segment.notes(endian, &cache).map_err(broken)?;
            let Some(mut notes) = notes else { continue };
            while let Some(note) = notes.next().map_err(broken)? {
                match note.n_type(endian) {
                    NT_FILE => files = mapped_files(note.desc()),
                    NT_PRPSINFO => core.process = process(note.desc()),
                    _ => {}
                }
            }
        }
        for segment in headers
            .iter()
            .filter(|segment| segment.p_type(endian) == PT_LOAD)
        {
            let start = segment.p_vaddr(endian);
            let end = |size: u64| start.checked_add(size).ok_or(AttachError::NoCore);
            let addresses = start..end(segment.p_memsz(endian))?;
            let kept = start..end(segment.p_filesz(endian))?;
            let is_writable = segment.p_flags(endian) & PF_W != 0;
            let file = files
                .iter()
                .find(|file: &&Mapping| file.addresses.contains(&start));
            core.mappings.push(Mapping {
                is_writable,
                is_shared: false,
                offset: file.map_or(0, |file| {
                    file.offset.wrapping_add(start - file.addresses.start)
                }),
                path: file.map_or_else(String::new, |file| file.path.clone()),
                addresses,
            });
            core.memory.pieces.push(Piece {
                addresses: kept,
                file: Rc::clone(&file_of_core),
                offset: segment.p_offset(endian),
            });
        }
        // gcore leaves out what was not changed.
        files.retain(|file| {
            let is_same = |other: &Mapping| other.addresses.contains(&file.addresses.start);
            !core.mappings.iter().any(is_same)
        });
        core.mappings.append(&mut files);
        core.mappings.sort_by_key(|mapping| mapping.addresses.start);
        Ok(core)
    }

    /// The file of an object: `binary`, if it has its name or is the program, else the one that is there now.
    pub(crate) fn path_of(&self, object: &Object, binary: &Path) -> Option<PathBuf> {
        let path = Path::new(&object.path);
        let is_program = self.program() == Some(&object.path);
        let is_named = path.file_name() == binary.file_name();
        let is_given = is_named || is_program && !self.has_file(binary);
        let is_php = || {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().contains("php"))
        };
        if is_given {
            Some(binary.to_owned())
        } else {
            is_php().then(|| path.to_owned())
        }
    }

    /// Adds what the core lacks from the files that were mapped.
    pub(crate) fn add_file(&mut self, object: &str, path: &Path) -> Result<(), AttachError> {
        let file = Rc::new(File::open(path).map_err(AttachError::Io)?);
        let mappings = self
            .mappings
            .iter()
            .filter(|mapping| mapping.path == object);
        self.memory.pieces.extend(mappings.map(|mapping| Piece {
            addresses: mapping.addresses.clone(),
            file: Rc::clone(&file),
            offset: mapping.offset,
        }));
        Ok(())
    }

    /// The program: the kernel maps it below its libraries.
    fn program(&self) -> Option<&String> {
        let mut paths = self.mappings.iter().map(|mapping| &mapping.path);
        paths.find(|path| path.starts_with('/'))
    }

    /// Whether a file of that name was mapped.
    fn has_file(&self, binary: &Path) -> bool {
        let mut paths = self.mappings.iter().map(|mapping| Path::new(&mapping.path));
        paths.any(|path| path.file_name() == binary.file_name())
    }
}

/// The files of the note `NT_FILE`: numbers, then as many names.
fn mapped_files(note: &[u8]) -> Vec<Mapping> {
    let number = to_usize(word_in(note, 0)).min(note.len() / 24);
    let page = word_in(note, 8);
    let names = note.get(16 + number * 24..).unwrap_or_default();
    let files = names.split(|byte| *byte == 0).take(number).enumerate();
    let files = files.map(|(index, name)| {
        let field = |field: usize| word_in(note, (16 + index * 24 + field * 8) as u64);
        Mapping {
            addresses: field(0)..field(1),
            is_writable: false,
            is_shared: false,
            offset: field(2).wrapping_mul(page),
            path: String::from_utf8_lossy(name).into_owned(),
        }
    });
    files.collect()
}

/// The process of the note `NT_PRPSINFO` (`struct elf_prpsinfo`).
fn process(note: &[u8]) -> Process {
    let text = |field: Range<usize>| {
        let bytes = note.get(field).unwrap_or_default();
        let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        String::from_utf8_lossy(text).trim_end().to_owned()
    };
    Process {
        id: half_in(note, 24),
        parent: half_in(note, 28),
        started: 0,
        name: text(40..56),
        command: text(56..136),
        user: half_in(note, 16),
    }
}

impl Memory for CoreMemory {
    fn read(&self, address: u64, into: &mut [u8]) -> io::Result<()> {
        let mut done = 0;
        while let Some(rest) = into.get_mut(done..).filter(|rest| !rest.is_empty()) {
            let address = address.wrapping_add(done as u64);
            let piece = self
                .pieces
                .iter()
                .find(|piece| piece.addresses.contains(&address));
            let piece = piece.ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))?;
            let length = to_usize(piece.addresses.end - address).min(rest.len());
            let part = rest.get_mut(..length).unwrap_or_default();
            let offset = piece.offset.wrapping_add(address - piece.addresses.start);
            piece.file.read_exact_at(part, offset)?;
            done += length;
        }
        Ok(())
    }

    fn now(&self) -> u64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_core_is_refused() {
        for path in ["/proc/self/exe", "/proc/self/status", "/nonexistent"] {
            assert!(CoreFile::open(Path::new(path)).is_err(), "{path}");
        }
    }

    #[test]
    fn notes_name_the_files_and_the_process() {
        let mut note = Vec::new();
        for word in [2_u64, 4096, 0x1000, 0x3000, 0, 0x3000, 0x4000, 2] {
            note.extend(word.to_le_bytes());
        }
        note.extend(b"/usr/bin/php\0/usr/bin/php\0");
        let files = mapped_files(&note);
        assert_eq!(files.len(), 2);
        assert_eq!(files[1].addresses, 0x3000..0x4000);
        assert_eq!((files[1].offset, &*files[1].path), (0x2000, "/usr/bin/php"));
        // A number that the note has no room for.
        note[0] = 255;
        assert!(mapped_files(&note).len() < 6);
        assert!(mapped_files(&[]).is_empty());
        let mut note = vec![0; 136];
        note[24] = 77;
        note[40..43].copy_from_slice(b"php");
        note[56..61].copy_from_slice(b"php a");
        let process = process(&note);
        assert_eq!(
            (process.id, &*process.name, &*process.command),
            (77, "php", "php a")
        );
        assert_eq!(super::process(&[]), Process::unknown());
    }

    #[test]
    fn a_read_may_cross_pieces_but_not_a_gap() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bytes");
        std::fs::write(&path, b"abcdefgh").unwrap();
        let file = Rc::new(File::open(path).unwrap());
        let piece = |addresses, offset| Piece {
            addresses,
            file: Rc::clone(&file),
            offset,
        };
        let memory = CoreMemory {
            pieces: vec![piece(10..12, 4), piece(12..20, 0), piece(30..32, 0)],
        };
        let mut bytes = [0; 4];
        memory.read(10, &mut bytes).unwrap();
        assert_eq!(&bytes, b"efab");
        assert!(memory.read(18, &mut bytes).is_err());
        // Beyond the end of the file.
        assert!(memory.read(16, &mut [0; 5]).is_err());
    }
}
