//! The files of runs: in their rows, or in a bucket.
//!
//! A row whose file is in a bucket has [`MARK`] and the name of the object instead.
//! Each insert of a row makes an object of its own: its name has the run's id, the
//! time, and a hash of what it holds.
//!
//! **Invariant:** a row that names an object is written after the object, within
//! [`MAX_UPLOAD`] and the time of an insert, or never. So an object that no row
//! names, and whose time is long ago, is not needed any more ([`super::sweep`]).

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::client::Client;
use super::literal::text;
use super::now_us;
use super::rows::{RowReader, RowWriter};
use super::schema;
use crate::bucket::Bucket;
use crate::prepare::Prepared;
use crate::{CancelToken, Error, Result, RunId};

/// How the file of a row begins that is in a bucket. A file begins with zstd's
/// number.
const MARK: &[u8] = b"bucket:";

/// The longest time of uploads before their rows are written.
const MAX_UPLOAD: Duration = Duration::from_secs(600);

/// How many objects are sent or read at a time.
const MAX_PARALLEL: usize = 16;

/// Names of objects that are to be removed: more than these are found by the lists of
/// the bucket.
const MAX_UNUSED: usize = 100_000;

/// Where the files of runs are.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub(super) bucket: Option<Bucket>,
    /// Objects that no row names, with the time since when.
    unused: Mutex<HashMap<String, Instant>>,
}

/// An object to store: its name and content.
pub(super) type Object<'a> = (String, &'a [u8]);

/// The file of a run, or why it cannot be read.
type Found<'a> = (RunId, Result<Cow<'a, [u8]>>);

impl Files {
    /// Opens the bucket, if the address names one, and checks that it is this
    /// store's.
    pub(super) fn open(client: &Client) -> Result<Self> {
        let Some(address) = client.address().bucket.clone() else {
            if schema::has_bucket(client)? {
                return Err(Error::Query(
                    "the files of this store's runs are in a bucket: name it by --bucket s3://NAME \
                     or XHPROF_BUCKET"
                        .to_owned(),
                ));
            }
            return Ok(Self::default());
        };
        let bucket = Bucket::new(address)?;
        schema::create_bucket(client)?;
        check_owner(client, &bucket)?;
        Ok(Self {
            bucket: Some(bucket),
            unused: Mutex::default(),
        })
    }

    /// What the row of a run has as its file. An object is added to `objects`.
    pub(super) fn of_row<'a>(
        &self,
        run: &'a Prepared,
        objects: &mut Vec<Object<'a>>,
    ) -> Cow<'a, [u8]> {
        if self.bucket.is_none() {
            return Cow::Borrowed(&run.file);
        }
        let hash = blake3::hash(&run.file).to_hex();
        let hash = hash.get(..8).unwrap_or_default();
        let name = format!("{}-{:016x}-{hash}", run.info.id, now_us());
        let marked = [MARK, name.as_bytes()].concat();
        objects.push((name, &run.file));
        Cow::Owned(marked)
    }

    /// Stores objects. When this returns, the bucket has them.
    pub(super) fn upload(&self, objects: &[Object<'_>]) -> Result<()> {
        let Some(bucket) = &self.bucket else {
            return Ok(());
        };
        let began = Instant::now();
        in_parallel(objects, |(name, bytes)| bucket.put(name, bytes))?;
        if began.elapsed() > MAX_UPLOAD {
            return Err(Error::Unavailable(format!(
                "the bucket {} is too slow; nothing was acknowledged",
                bucket.address()
            )));
        }
        Ok(())
    }

    /// The files that rows have, each with its run.
    pub(super) fn read<'a>(&self, rows: &[(RunId, &'a [u8])]) -> Result<Vec<Found<'a>>> {
        in_parallel(rows, |(id, file)| Ok((*id, self.one(id, file))))
    }

    /// The file that a row has.
    pub(super) fn one<'a>(&self, id: &RunId, file: &'a [u8]) -> Result<Cow<'a, [u8]>> {
        let Some(name) = name_in(file) else {
            return Ok(Cow::Borrowed(file));
        };
        let Some(bucket) = &self.bucket else {
            return Err(Error::Query(format!(
                "the file of run {id} is in a bucket, and this store has none: --bucket s3://NAME \
                 names it"
            )));
        };
        let found = bucket.get(name)?;
        found
            .map(Cow::Owned)
            .ok_or_else(|| lost(bucket, &id.to_string(), name))
    }

    /// Checks that the bucket has these objects.
    pub(super) fn check(&self, names: impl IntoIterator<Item = String>) -> Result<()> {
        let Some(bucket) = &self.bucket else {
            return Ok(());
        };
        let names: Vec<String> = names.into_iter().collect();
        let check = |name: &String| match bucket.has(name)? {
            true => Ok(()),
            false => {
                let run = parts_of(name).map(|(id, _)| id.to_string());
                Err(lost(bucket, &run.unwrap_or_default(), name))
            }
        };
        in_parallel(&names, check).map(drop)
    }

    /// Notes objects that rows named until now. They are removed when no statement can
    /// be left that read such a row.
    pub(super) fn note_unused(&self, names: impl IntoIterator<Item = String>) {
        let mut unused = self.unused.lock();
        for name in names {
            if unused.len() < MAX_UNUSED {
                unused.entry(name).or_insert_with(Instant::now);
            }
        }
    }

    /// Takes the objects that have been unused for so long.
    pub(super) fn take_unused(&self, quiet: Duration) -> Vec<String> {
        let mut taken = Vec::new();
        self.unused.lock().retain(|name, since| {
            let is_due = since.elapsed() >= quiet;
            if is_due {
                taken.push(name.clone());
            }
            !is_due
        });
        taken
    }

    /// Whether there are unused objects.
    pub(super) fn has_unused(&self) -> bool {
        !self.unused.lock().is_empty()
    }
}

fn lost(bucket: &Bucket, run: &str, name: &str) -> Error {
    Error::Damaged(format!(
        "the file of run {run}: the bucket {} has no object {}",
        bucket.address(),
        bucket.key(name)
    ))
}

/// The condition that the file of a row is in a bucket.
pub(super) fn is_in_bucket() -> String {
    format!("substring(file, 1, {}) = {}", MARK.len(), text(MARK))
}

/// The name of the object in the file of a row.
pub(super) fn name_in(file: &[u8]) -> Option<&str> {
    let name = std::str::from_utf8(file.strip_prefix(MARK)?).ok()?;
    parts_of(name).map(|_| name)
}

/// The run and the time in the name of an object; none if it is not a name of ours.
pub(super) fn parts_of(name: &str) -> Option<(RunId, u64)> {
    let (id, rest) = name.split_once('-')?;
    let (time, hash) = rest.split_once('-')?;
    let is_hash = hash.len() == 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    let time = u64::from_str_radix(time, 16).ok().filter(|_| is_hash)?;
    Some((id.parse().ok()?, time))
}

/// Calls `work` with each item, some at a time. After the first error no more are
/// begun.
pub(super) fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    if items.len() < 2 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let cancel = CancelToken::current().unwrap_or_default();
    let take = || {
        let mut done = Vec::new();
        while let Some((number, item)) = {
            let number = next.fetch_add(1, Ordering::Relaxed);
            items.get(number).map(|item| (number, item))
        } {
            let result = work(item);
            if result.is_err() {
                next.store(items.len(), Ordering::Relaxed);
            }
            done.push((number, result));
        }
        done
    };
    let done = || cancel.run(take);
    let mut all = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..MAX_PARALLEL.min(items.len()))
            .map(|_| scope.spawn(done))
            .collect();
        let joined = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
        joined.flatten().flatten().collect::<Vec<_>>()
    });
    all.sort_by_key(|(number, _)| *number);
    let is_whole = all.len() == items.len();
    let results: Vec<R> = all
        .into_iter()
        .map(|(_, result)| result)
        .collect::<Result<_>>()?;
    if is_whole {
        Ok(results)
    } else {
        Err(Error::Closed)
    }
}

/// Checks that the objects of the bucket are of this store, so that no other store
/// takes them for unused. The first server claims an empty bucket.
fn check_owner(client: &Client, bucket: &Bucket) -> Result<()> {
    let known = owners(client)?;
    if let Some(owner) = bucket.owner()? {
        if known.contains(&owner) {
            return Ok(());
        }
        if owner.is_empty() {
            return Err(of_another(bucket));
        }
        // Another server may have claimed it for this store a moment ago. Of several that
        // start at once, each adds its id to the table and then claims the bucket.
        std::thread::sleep(Duration::from_secs(2));
        return if owners(client)?.contains(&owner) {
            Ok(())
        } else {
            Err(of_another(bucket))
        };
    }
    if let Some(owner) = known.first() {
        if !has_objects(client)? {
            // A server was killed before it claimed the bucket.
            return bucket.claim(owner);
        }
        // Another server may have claimed it since, and stored a run.
        let claimed = bucket.owner()?;
        if owners(client)?.into_iter().any(|id| claimed == Some(id)) {
            return Ok(());
        }
        return Err(Error::Query(format!(
            "the bucket {} is not the one that this store's files are in; if they were moved, copy \
             the object xhprof-store, too",
            bucket.address()
        )));
    }
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|error| Error::Io(error.to_string()))?;
    // The table first: a program that reads the object looks the owner up there.
    let owner = RunId(random).to_string();
    add_owner(client, &owner)?;
    bucket.claim(&owner)
}

fn owners(client: &Client) -> Result<Vec<String>> {
    let bytes = client.read(&format!(
        "SELECT DISTINCT id FROM {}",
        schema::all(client, "bucket")
    ))?;
    let mut answer = RowReader::new(&bytes);
    let mut owners = Vec::new();
    while answer.has_more() {
        owners.push(answer.text()?);
    }
    Ok(owners)
}

/// Whether a row names an object.
fn has_objects(client: &Client) -> Result<bool> {
    let bytes = client.read(&format!(
        "SELECT id FROM {} WHERE {} LIMIT 1",
        schema::all(client, "run"),
        is_in_bucket()
    ))?;
    Ok(!bytes.is_empty())
}

fn add_owner(client: &Client, owner: &str) -> Result<()> {
    let mut row = RowWriter::default();
    row.text(owner).u64(1);
    let into = schema::all(client, "bucket") + " (id, version)";
    client.insert(&into, &row.bytes)
}

fn of_another(bucket: &Bucket) -> Error {
    Error::Query(format!(
        "the bucket {} has the files of another store; use another bucket, or a prefix: \
         s3://NAME/PREFIX",
        bucket.address()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_the_run_and_the_time() {
        let id = RunId::of(b"a run");
        let name = format!("{id}-{:016x}-0123abcd", 77);
        assert_eq!(parts_of(&name), Some((id, 77)));
        let file = [MARK, name.as_bytes()].concat();
        assert_eq!(name_in(&file), Some(name.as_str()));
        for other in [
            "",
            "a-b-c",
            &name[1..],
            &name[..name.len() - 1],
            "xhprof-store",
        ] {
            assert_eq!(parts_of(other), None, "{other}");
        }
        assert_eq!(name_in(name.as_bytes()), None);
        assert_eq!(name_in(&crate::packed::packed(b"x", &[], 3).unwrap()), None);
    }

    #[test]
    fn work_in_parallel_keeps_the_order_and_ends_with_an_error() {
        let items: Vec<u32> = (0..500).collect();
        let doubled = in_parallel(&items, |item| Ok(item * 2)).unwrap();
        assert!(doubled.iter().zip(&items).all(|(two, one)| *two == one * 2));
        let begun = AtomicUsize::new(0);
        // So many that the thread with the error may rest for seconds.
        let items: Vec<u32> = (0..100_000).collect();
        let failed = in_parallel(&items, |item| {
            begun.fetch_add(1, Ordering::Relaxed);
            match item {
                3 => Err(Error::Full),
                _ => {
                    std::thread::sleep(Duration::from_millis(1));
                    Ok(())
                }
            }
        });
        assert!(matches!(failed, Err(Error::Full)));
        assert!(begun.into_inner() < items.len());
    }

    #[test]
    fn what_is_unused_is_taken_once_and_not_too_early() {
        let files = Files::default();
        files.note_unused(["a".to_owned(), "a".to_owned()]);
        assert!(files.take_unused(Duration::from_secs(60)).is_empty());
        assert_eq!(files.take_unused(Duration::ZERO), ["a"]);
        assert!(files.take_unused(Duration::ZERO).is_empty());
    }
}
