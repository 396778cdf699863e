//! Memory of another process.
//!
//! It is read by `/proc/PID/mem`: the kernel checks the rights once, when the file is opened, and the file is empty
//! after an `exec`. Several pieces at once are read by `process_vm_readv`, where a sandbox allows it.
//!
//! **Invariants:** it is only read. What was read is bytes: no address in them is trusted.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, IoSliceMut};
use std::os::unix::fs::FileExt;
use std::time::Instant;

use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::Pid;

use crate::layout::to_usize;

/// How many pieces the kernel reads at once: `UIO_MAXIOV` in `uio.h`.
const MOST_PIECES: usize = 1024;

/// Memory that can be read by address.
pub(crate) trait Memory {
    /// Fills `into` with the bytes from `address` on.
    ///
    /// # Errors
    ///
    /// If one of the bytes cannot be read.
    fn read(&self, address: u64, into: &mut [u8]) -> io::Result<()>;

    /// The time, in nanoseconds since any instant.
    fn now(&self) -> u64;

    /// Fills each piece with the bytes from its address on, one after the other.
    ///
    /// # Errors
    ///
    /// If one of the bytes cannot be read.
    fn read_all(&self, pieces: &mut [(u64, &mut [u8])]) -> io::Result<()> {
        pieces
            .iter_mut()
            .try_for_each(|(address, into)| self.read(*address, into))
    }

    /// The eight bytes at `address` as a number.
    ///
    /// # Errors
    ///
    /// As for [`read`](Self::read).
    fn word(&self, address: u64) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.read(address, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// The four bytes at `address` as a number.
    ///
    /// # Errors
    ///
    /// As for [`read`](Self::read).
    fn half(&self, address: u64) -> io::Result<u32> {
        let mut bytes = [0; 4];
        self.read(address, &mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    /// The bytes from `address` to the next NUL, at most `most`.
    ///
    /// # Errors
    ///
    /// As for [`read`](Self::read).
    fn text(&self, address: u64, most: usize) -> io::Result<Vec<u8>> {
        const PAGE: u64 = 4096;
        let mut text = Vec::new();
        let mut from = address;
        while text.len() < most {
            // Not beyond the page, which may be the last one that is mapped.
            let rest = PAGE - from % PAGE;
            let size = usize::try_from(rest.min(256)).unwrap_or(256);
            let mut bytes = vec![0; size.min(most - text.len())];
            self.read(from, &mut bytes)?;
            if let Some(end) = bytes.iter().position(|&byte| byte == 0) {
                text.extend_from_slice(bytes.get(..end).unwrap_or(&[]));
                return Ok(text);
            }
            from += bytes.len() as u64;
            text.extend_from_slice(&bytes);
        }
        Ok(text)
    }
}

/// The memory of a process.
#[derive(Debug)]
pub(crate) struct ProcessMemory {
    file: File,
    opened: Instant,
    process: Pid,
    /// Whether `process_vm_readv` is allowed, as far as it is known.
    is_vectored: Cell<bool>,
}

impl ProcessMemory {
    /// Opens the memory of a process.
    ///
    /// # Errors
    ///
    /// If the process is gone, or the caller may not trace it.
    pub(crate) fn open(process: u32) -> io::Result<Self> {
        let file = File::open(format!("/proc/{process}/mem"))?;
        Ok(Self {
            file,
            opened: Instant::now(),
            process: Pid::from_raw(process.cast_signed()),
            is_vectored: Cell::new(true),
        })
    }
}

impl Memory for ProcessMemory {
    fn read(&self, address: u64, into: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(into, address)
    }

    fn now(&self) -> u64 {
        u64::try_from(self.opened.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn read_all(&self, pieces: &mut [(u64, &mut [u8])]) -> io::Result<()> {
        for pieces in pieces.chunks_mut(MOST_PIECES) {
            if !self.read_pieces(pieces)? {
                for (address, into) in pieces {
                    self.read(*address, into)?;
                }
            }
        }
        Ok(())
    }
}

impl ProcessMemory {
    /// One system call for all pieces; false if that is not allowed.
    fn read_pieces(&self, pieces: &mut [(u64, &mut [u8])]) -> io::Result<bool> {
        if !self.is_vectored.get() {
            return Ok(false);
        }
        let remote: Vec<RemoteIoVec> = pieces
            .iter()
            .map(|(address, into)| RemoteIoVec {
                base: to_usize(*address),
                len: into.len(),
            })
            .collect();
        let mut local: Vec<IoSliceMut<'_>> = pieces
            .iter_mut()
            .map(|(_, into)| IoSliceMut::new(into))
            .collect();
        let wanted = remote.iter().map(|piece| piece.len).sum();
        match process_vm_readv(self.process, &mut local, &remote) {
            Ok(length) if length == wanted => Ok(true),
            // Not by a sandbox: Docker's lets only programs with CAP_SYS_PTRACE do that.
            Err(nix::Error::ENOSYS | nix::Error::EPERM) => {
                self.is_vectored.set(false);
                Ok(false)
            }
            _ => Err(nix::Error::EFAULT.into()),
        }
    }
}

/// A field in bytes that were read, as a number of eight bytes; zero beyond their end.
pub(crate) fn word_in(bytes: &[u8], offset: u64) -> u64 {
    u64::from_le_bytes(field(bytes, offset))
}

/// The same for a number of four bytes.
pub(crate) fn half_in(bytes: &[u8], offset: u64) -> u32 {
    u32::from_le_bytes(field(bytes, offset))
}

fn field<const N: usize>(bytes: &[u8], offset: u64) -> [u8; N] {
    let start = to_usize(offset);
    let end = start.saturating_add(N);
    bytes
        .get(start..end)
        .and_then(|bytes| bytes.try_into().ok())
        .unwrap_or([0; N])
}

/// Memory that tests write.
#[cfg(test)]
pub(crate) mod fake {
    use std::cell::RefCell;
    use std::collections::BTreeMap;

    use super::*;

    /// Pieces of memory by address. After each read, `changes` may write the next state.
    #[derive(Default)]
    pub(crate) struct FakeMemory {
        bytes: RefCell<BTreeMap<u64, u8>>,
        /// What is written before the read of that number, from 0.
        changes: RefCell<Vec<(usize, u64, Vec<u8>)>>,
        reads: RefCell<usize>,
        /// How long a read takes, in nanoseconds.
        pub(crate) read_takes: u64,
    }

    impl FakeMemory {
        pub(crate) fn write(&self, address: u64, bytes: &[u8]) {
            let mut memory = self.bytes.borrow_mut();
            for (byte, address) in bytes.iter().zip(address..) {
                memory.insert(address, *byte);
            }
        }

        pub(crate) fn word(&self, address: u64, value: u64) {
            self.write(address, &value.to_le_bytes());
        }

        /// Writes before the read of that number.
        pub(crate) fn change(&self, read: usize, address: u64, value: u64) {
            let change = (read, address, value.to_le_bytes().to_vec());
            self.changes.borrow_mut().push(change);
        }

        /// How many reads there were.
        pub(crate) fn reads(&self) -> usize {
            *self.reads.borrow()
        }
    }

    impl Memory for FakeMemory {
        fn now(&self) -> u64 {
            self.reads() as u64 * self.read_takes
        }

        fn read(&self, address: u64, into: &mut [u8]) -> io::Result<()> {
            let number = self.reads.replace_with(|reads| *reads + 1);
            let due: Vec<_> = {
                let changes = self.changes.borrow();
                changes
                    .iter()
                    .filter(|change| change.0 == number)
                    .cloned()
                    .collect()
            };
            for (_, address, bytes) in due {
                self.write(address, &bytes);
            }
            let memory = self.bytes.borrow();
            for (byte, address) in into.iter_mut().zip(address..) {
                let known = memory.get(&address).copied();
                *byte = known.ok_or_else(|| io::Error::from_raw_os_error(14))?;
            }
            Ok(())
        }
    }
}
