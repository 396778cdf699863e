//! Native files of runs that questions read lately.
//!
//! Each file is in a block of ClickHouse's table with those of a thousand other runs, all
//! of which are unpacked for it; and a comparison of single runs reads its files twice.
//!
//! **Invariant:** whether a run is there is asked each time. Its id is the hash of its
//! file, so the file of an id never changes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Inner;
use crate::{Result, RunId, RunInfo};

/// How many bytes are kept, and how many files are asked for at a time.
const KEPT: usize = 64 << 20;
const CHUNK: usize = 200;

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
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, id: RunId, file: &Arc<Vec<u8>>) {
        let state = &mut *self.state();
        if state.bytes > KEPT {
            *state = State::default();
        }
        if state.files.insert(id, Arc::clone(file)).is_none() {
            state.bytes += file.len();
        }
    }
}

impl Inner {
    /// Calls `each` with the native files of runs that are there, in their order.
    pub(super) fn each_kept_file(
        &self,
        runs: &[RunInfo],
        each: &mut dyn FnMut(RunInfo, Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        for some in runs.chunks(CHUNK) {
            let known = |info: &RunInfo| self.kept.state().files.get(&info.id).map(Arc::clone);
            let files = some.iter().filter_map(|info| Some((info.id, known(info)?)));
            let mut files: HashMap<RunId, Arc<Vec<u8>>> = files.collect();
            let missing = some.iter().filter(|info| !files.contains_key(&info.id));
            let missing: Vec<RunInfo> = missing.cloned().collect();
            self.each_file(&missing, &mut |info, file| {
                let file = Arc::new(file);
                self.kept.keep(info.id, &file);
                files.insert(info.id, file);
                Ok(())
            })?;
            for info in some {
                if let Some(file) = files.get(&info.id) {
                    each(info.clone(), file.to_vec())?;
                }
            }
        }
        Ok(())
    }
}
