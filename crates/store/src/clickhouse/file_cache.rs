//! Native files of runs that questions read lately.
//!
//! Each file is in a block of ClickHouse's table with those of a thousand other runs, all
//! of which are unpacked for it, or an object of the bucket.
//!
//! **Invariant:** whether a run is there is asked each time. Its id is the hash of its
//! file, so the file of an id never changes.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::Inner;
use super::runs::fitting;
use crate::{Result, RunId, RunInfo};

/// How many bytes are kept, and the longest file.
const MAX_CACHED_BYTES: usize = 64 << 20;
const MAX_FILE_BYTES: usize = 4 << 20;

/// What an entry needs besides its file.
const ENTRY: usize = 100;

/// The files that were read lately.
#[derive(Debug, Default)]
pub(super) struct FileCache {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    files: HashMap<RunId, Arc<Vec<u8>>>,
    bytes: usize,
}

impl FileCache {
    fn file(&self, id: &RunId) -> Option<Arc<Vec<u8>>> {
        self.state.lock().files.get(id).map(Arc::clone)
    }

    /// Keeps a file. If they are too many, all others are dropped.
    fn keep(&self, id: RunId, file: &Arc<Vec<u8>>) {
        let size = file.len() + ENTRY;
        if size > MAX_FILE_BYTES {
            return;
        }
        let state = &mut *self.state.lock();
        if state.bytes + size > MAX_CACHED_BYTES {
            *state = State::default();
        }
        if state.files.insert(id, Arc::clone(file)).is_none() {
            state.bytes += size;
        }
    }
}

impl Inner {
    /// Calls `each` with the native files of runs that are there, in their order.
    pub(super) fn each_kept_file(
        &self,
        runs: Vec<RunInfo>,
        each: &mut dyn FnMut(RunInfo, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut rest = runs;
        while !rest.is_empty() {
            let after = rest.split_off(fitting(&rest));
            let some = std::mem::replace(&mut rest, after);
            let known = |info: &RunInfo| Some((info.id, self.file_cache.file(&info.id)?));
            let mut files: HashMap<RunId, Arc<Vec<u8>>> = some.iter().filter_map(known).collect();
            let missing = some.iter().filter(|info| !files.contains_key(&info.id));
            let missing: Vec<RunInfo> = missing.cloned().collect();
            self.each_file(&missing, &mut |info, file| {
                let file = Arc::new(file);
                self.file_cache.keep(info.id, &file);
                files.insert(info.id, file);
                Ok(())
            })?;
            for info in some {
                // A policy or a user may have removed it since it was found.
                if let Some(file) = files.remove(&info.id) {
                    each(info, &file)?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_keeps_files_up_to_a_limit() {
        let cache = FileCache::default();
        let id = |number: usize| RunId::of(&number.to_le_bytes());
        let file = Arc::new(vec![7; MAX_FILE_BYTES - ENTRY]);
        for number in 0..100 {
            cache.keep(id(number), &file);
            cache.keep(id(number), &file);
            assert_eq!(cache.file(&id(number)), Some(Arc::clone(&file)));
            let state = cache.state.lock();
            assert_eq!(state.bytes, state.files.len() * MAX_FILE_BYTES);
            assert!(state.bytes <= MAX_CACHED_BYTES);
        }
        cache.keep(id(200), &Arc::new(vec![7; MAX_FILE_BYTES]));
        assert_eq!(cache.file(&id(200)), None);
        assert!(cache.file(&id(99)).is_some());
    }
}
