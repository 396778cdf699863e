//! Notices of the kernel that a folder changed.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;
use std::{fs, io};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};

/// Waits for changes of folders.
pub struct Changes {
    // Ends the notices when it is dropped.
    _watcher: RecommendedWatcher,
    notices: Receiver<()>,
    sender: SyncSender<()>,
}

/// Ends the wait of [`Changes::wait`] early.
#[derive(Debug, Clone)]
pub struct Waker(SyncSender<()>);

impl Waker {
    /// Ends the wait, or the next one.
    pub fn wake(&self) {
        // A notice that is there already says the same.
        let _ = self.0.try_send(());
    }
}

impl std::fmt::Debug for Changes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Changes").finish_non_exhaustive()
    }
}

impl Changes {
    /// Watches the folders, without those in them.
    ///
    /// # Errors
    ///
    /// A folder that cannot be read.
    pub fn of(folders: &[PathBuf]) -> io::Result<Self> {
        for folder in folders {
            let named =
                |error| io::Error::other(format!("cannot watch {}: {error}", folder.display()));
            fs::read_dir(folder).map_err(named)?;
        }
        // One notice says as much as many do.
        let (sender, notices) = sync_channel(1);
        let waker = Waker(sender.clone());
        let mut watcher =
            notify::recommended_watcher(move |_| waker.wake()).map_err(io::Error::other)?;
        for folder in folders {
            // Without it files are found after a pause.
            if let Err(error) = watcher.watch(folder, RecursiveMode::NonRecursive) {
                tracing::warn!(folder = %folder.display(), %error, "no notice of changes");
            }
        }
        Ok(Self {
            _watcher: watcher,
            notices,
            sender,
        })
    }

    /// What ends the wait early.
    #[must_use]
    pub fn waker(&self) -> Waker {
        Waker(self.sender.clone())
    }

    /// Returns at the next change, or after `most`.
    pub fn wait(&self, most: Duration) {
        let _ = self.notices.recv_timeout(most);
        while self.notices.try_recv().is_ok() {}
    }
}
