//! The life of the agent, from its start to its end.

use std::fs::{self, File};
use std::path::{self, Path};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender as Done, channel};
use std::time::{Duration, Instant};

use rustix::fs::FlockOperation;
use sd_notify::NotifyState;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use spool::{Changes, Waker};

use crate::attached::{FOLDER, Sampler};
use crate::error::{Error, Result};
use crate::files;
use crate::forward::Forwarder;
use crate::metrics;
use crate::options::{Options, Protocol};
use crate::queue::Queue;
use crate::refused::Refused;
use crate::send::Sender;
use crate::shared::{Shared, TargetState};
use crate::take::Taker;
use crate::target::{Sends, Worker};

/// How often the main thread wakes without a watchdog.
const DAY: Duration = Duration::from_secs(86_400);

/// The folder of the queue with the files that targets refused.
const REFUSED: &str = "refused";

/// Runs until SIGTERM or SIGINT, then sends what is left for a while. A second
/// signal ends the process at once.
///
/// # Errors
///
/// Options that cannot work, folders that cannot be used.
pub fn run(options: Options) -> Result<()> {
    set_priority(options.nice)?;
    let agent = Agent::start(options)?;
    let mut signals = Signals::new([SIGTERM, SIGINT])?;
    let (shared, waker) = (Arc::clone(&agent.shared), agent.waker.clone());
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            let mut signals = signals.forever();
            if signals.next().is_some() {
                shared.stop.set();
                waker.wake();
            }
            if signals.next().is_some() {
                std::process::exit(1);
            }
        })?;
    tell(NotifyState::Ready);
    watch(&agent.shared);
    tell(NotifyState::Stopping);
    agent.finish();
    Ok(())
}

/// A running agent.
#[derive(Debug)]
pub struct Agent {
    shared: Arc<Shared>,
    waker: Waker,
    /// A message from each thread that has ended.
    ended: Receiver<()>,
    threads: usize,
}

impl Agent {
    /// Starts the threads of an agent.
    ///
    /// # Errors
    ///
    /// Options that cannot work, folders that cannot be used.
    pub fn start(mut options: Options) -> Result<Self> {
        // Batches have the paths of their files, also for the next start.
        options.queue = path::absolute(&options.queue)?;
        for spool in &mut options.spools {
            *spool = path::absolute(&spool)?;
        }
        options.check()?;
        let folder = options.queue.clone();
        fs::create_dir_all(folder.parent().unwrap_or(&folder)).map_err(Error::queue(&folder))?;
        files::own_folder(&folder).map_err(Error::queue(&folder))?;
        let lock = locked(&folder)?;
        if options.attach.is_some() {
            let attached = folder.join(FOLDER);
            files::own_folder(&attached).map_err(Error::queue(&attached))?;
            options.spools.push(attached);
        }
        let changes = Changes::of(&options.spools)?;
        let waker = changes.waker();
        let (targets, senders) = targets(&options)?;
        let refused = Refused::open(folder.join(REFUSED), options.refused_bytes)?;
        let shared = Arc::new(Shared::new(options, targets, refused, lock));
        let taker = Taker::new(Arc::clone(&shared), changes)?;
        if let Some(address) = shared.options.metrics {
            metrics::serve(Arc::clone(&shared), address)?;
        }
        let (done, ended) = channel();
        thread("take", &done, move || taker.run())?;
        let mut threads = 1;
        if let Some(rate) = shared.options.attach {
            let shared = Arc::clone(&shared);
            // The sampler is made in its thread, where it stays.
            thread("attach", &done, move || Sampler::new(shared, rate).run())?;
            threads += 1;
        }
        for (number, senders) in senders.into_iter().enumerate() {
            for (connection, sender) in senders.into_iter().enumerate() {
                let worker = Worker::new(Arc::clone(&shared), number, connection == 0, sender);
                thread("send", &done, move || worker.run())?;
                threads += 1;
            }
        }
        Ok(Self {
            shared,
            waker,
            ended,
            threads,
        })
    }

    /// The counters in Prometheus' text format.
    #[must_use]
    pub fn metrics(&self) -> String {
        metrics::text(&self.shared)
    }

    /// Takes what is in the spool and sends what is left, at most as long as the
    /// options say. The rest stays in the queue.
    pub fn finish(mut self) {
        self.shared.stop.set();
        self.waker.wake();
        let end = Instant::now() + self.shared.options.drain;
        while self.threads > 0 {
            let left = end.saturating_duration_since(Instant::now());
            if self.ended.recv_timeout(left).is_err() {
                break;
            }
            self.threads -= 1;
        }
        for target in &self.shared.targets {
            let size = target.queue.size();
            if size.batches > 0 {
                tracing::warn!(
                    target = target.url,
                    runs = size.runs,
                    "runs stay in the queue, and are sent after the next start"
                );
            }
        }
    }
}

/// Starts a thread that says when it ends.
fn thread(name: &str, done: &Done<()>, work: impl FnOnce() + Send + 'static) -> Result<()> {
    let done = done.clone();
    let thread = std::thread::Builder::new().name(name.to_owned());
    thread.spawn(move || {
        work();
        let _ = done.send(());
    })?;
    Ok(())
}

/// Lowers the priority. Threads get that of the thread that starts them.
fn set_priority(nice: i32) -> Result<()> {
    if nice > 0 {
        let set = rustix::process::nice(nice).map_err(std::io::Error::from);
        set.map_err(|error| Error::Option(format!("--nice {nice}: {error}")))?;
    }
    Ok(())
}

/// Takes the folder for this agent alone.
fn locked(folder: &Path) -> Result<File> {
    let path = folder.join("lock");
    let no_follow = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
    let mut options = File::options();
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, no_follow);
    let file = options.create(true).append(true).open(&path);
    let file = file.map_err(Error::queue(&path))?;
    rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive)
        .map_err(|_| Error::Locked(folder.to_owned()))?;
    Ok(file)
}

/// Opens the queues, and names those of targets that are gone. Returns the connections of
/// each target, too.
fn targets(options: &Options) -> Result<(Vec<TargetState>, Vec<Vec<Sends>>)> {
    let (mut targets, mut senders) = (Vec::new(), Vec::new());
    let mut known = vec!["new".to_owned(), REFUSED.to_owned(), FOLDER.to_owned()];
    for target in &options.targets {
        let name = folder_of(&target.name());
        let queue = Queue::open(options.queue.join(&name), options.queue_bytes)?;
        known.push(name);
        let sender = |_| -> Result<Sends> {
            Ok(match target.protocol {
                Protocol::Xhprof => Sends::Batches(Sender::new(options, target)?),
                _ => Sends::Runs(Forwarder::new(options, target)?),
            })
        };
        let connections = 0..options.connections_to(target);
        senders.push(connections.map(sender).collect::<Result<_>>()?);
        targets.push(TargetState::new(target.name(), queue, options.first_wait));
        let is_open = target.url.starts_with("http://");
        if is_open && (target.token.is_some() || target.token_file.is_some()) {
            tracing::info!(target = target.url, "the token is sent without encryption");
        }
    }
    for entry in fs::read_dir(&options.queue).map_err(Error::queue(&options.queue))? {
        let path = entry.map_err(Error::queue(&options.queue))?.path();
        let name = path.file_name().map(|name| name.to_string_lossy());
        let is_known = name.is_some_and(|name| known.iter().any(|known| *known == name));
        if path.is_dir() && !is_known {
            tracing::warn!(
                folder = %path.display(),
                "this is the queue of a target that is not named; remove it, or name the \
                 target again"
            );
        }
    }
    Ok((targets, senders))
}

/// The name of a target's folder.
fn folder_of(url: &str) -> String {
    let hash = blake3::hash(url.as_bytes()).to_hex();
    hash.get(..16).unwrap_or_default().to_owned()
}

/// Waits for the end, and tells the service manager that the agent works.
fn watch(shared: &Shared) {
    let interval = sd_notify::watchdog_enabled().map(|most| most / 3);
    while !shared.stop.wait(interval.unwrap_or(DAY)) {
        if interval.is_some() && !shared.is_stuck() {
            tell(NotifyState::Watchdog);
        }
    }
}

/// Tells the service manager, if there is one.
fn tell(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::debug!(%error, "the service manager was not told");
    }
}
