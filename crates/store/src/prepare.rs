//! Makes everything that is stored of a run, before the database is needed.
//!
//! Many threads prepare runs at a time; one thread writes them.

use std::sync::Arc;

use profile::native::{self, Limits};
use profile::{Body, Budget, Profile, Symbol};

use crate::packed::packed;
use crate::rollup::{MAX_COST, Paths, Shape, SpanSums, Spreads, Totals};
use crate::transposed::transposed;
use crate::{Error, NewRun, Result, RunId, RunInfo, Stored};

pub use profile::Meta;

/// The largest native file, unpacked: 512 MiB.
pub(crate) const MAX_FILE: usize = 512 << 20;

/// The largest dictionary: a larger one takes longer to load than it saves.
pub(crate) const MAX_DICTIONARY: usize = 256 << 10;

/// Compression of the runs' files.
const LEVEL: i32 = 3;

/// The longest text of the metadata, in bytes.
const MAX_TEXT: usize = 1024;

/// The most tags that are kept for the list.
const MAX_TAGS: usize = 64;

/// Everything that is stored of a run.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) info: RunInfo,
    /// When it arrived, in microseconds since 1970.
    pub(crate) received: u64,
    /// The native file, by column and compressed.
    pub(crate) file: Vec<u8>,
    pub(crate) dictionary: Dictionary,
    pub(crate) cell: Option<RunSums>,
}

/// What a file was compressed with.
#[derive(Debug)]
pub(crate) enum Dictionary {
    /// The dictionary of that number.
    Known(i64),
    /// None yet: the route gets this one, which is compressed itself.
    Candidate(Vec<u8>),
}

/// The dictionaries of a store.
pub(crate) trait Dictionaries {
    /// Reads those of many runs at once, where that is cheaper.
    fn expect(&self, _: &[NewRun]) -> Result<()> {
        Ok(())
    }

    /// That of a route and release, with its number.
    fn find(&self, info: &RunInfo) -> Result<Option<(i64, Arc<Vec<u8>>)>>;
}

/// A run's part of its cell. Functions are numbers of `symbols`.
#[derive(Debug)]
pub(crate) struct RunSums {
    pub(crate) shape: Shape,
    pub(crate) symbols: Vec<Symbol>,
    pub(crate) totals: Totals,
    pub(crate) paths: Paths,
    pub(crate) spreads: Spreads,
    pub(crate) spans: SpanSums,
}

impl Prepared {
    /// Computes the id, the sums and the compressed file.
    pub(crate) fn new(run: NewRun, dictionaries: &impl Dictionaries) -> Result<Self> {
        // The file has no time of arrival: what is sent twice is the same twice.
        let NewRun { profile, received } = run;
        let mut plain = Vec::new();
        native::write(&profile, &mut plain)?;
        if plain.len() > MAX_FILE {
            return Err(Error::Profile(format!(
                "its native file has {} MiB, and the limit is {} MiB",
                plain.len() >> 20,
                MAX_FILE >> 20
            )));
        }
        let id = RunId::of(&plain);
        let mut info = info(&profile, id, 0, received);
        let by_column = transposed(&plain);
        let (file, dictionary) = match dictionaries.find(&info)? {
            Some((number, data)) => (packed(&by_column, &data, LEVEL)?, Dictionary::Known(number)),
            None => {
                let data = by_column.get(..MAX_DICTIONARY).unwrap_or(&by_column);
                (
                    packed(&by_column, &[], LEVEL)?,
                    Dictionary::Candidate(packed(data, &[], LEVEL)?),
                )
            }
        };
        drop(by_column);
        drop(plain);
        info.size = file.len() as u64;
        let cell = sums_of_run(profile, &info);
        Ok(Self {
            info,
            received,
            file,
            dictionary,
            cell,
        })
    }
}

/// Prepares runs, and lets `write` store those that are usable, of which it returns the
/// outcomes. Returns the outcome of each, in their order.
pub(crate) fn put_all(
    runs: Vec<NewRun>,
    dictionaries: &impl Dictionaries,
    write: impl FnOnce(Vec<Prepared>) -> Vec<Result<Stored>>,
) -> Vec<Result<Stored>> {
    let length = runs.len();
    if let Err(error) = dictionaries.expect(&runs) {
        return vec![Err(error); length];
    }
    let (mut usable, mut refused) = (Vec::with_capacity(length), Vec::with_capacity(length));
    for run in runs {
        let run = Prepared::new(run, dictionaries);
        refused.push(run.map(|run| usable.push(run)).err());
    }
    let mut written = Vec::new();
    if !usable.is_empty() {
        written = write(usable);
    }
    let mut written = written.into_iter();
    let outcomes = refused.into_iter().map(|refused| match refused {
        Some(error) => Err(error),
        None => written.next().unwrap_or(Err(Error::Closed)),
    });
    outcomes.collect()
}

/// The part of a run in the sums; none if it does not measure time.
pub(crate) fn sums_of_run(profile: Profile, info: &RunInfo) -> Option<RunSums> {
    if info.unit != "time" {
        return None;
    }
    let profile = match profile.body {
        Body::Tree(_) | Body::Edges(_) => profile,
        // Once, instead of once for each part.
        Body::Samples(_) | Body::Events(_) => {
            let tree = profile.tree()?.into_owned();
            let mut metrics = profile.metrics;
            metrics.calls &= !matches!(profile.body, Body::Samples(_));
            Profile {
                body: Body::Tree(tree),
                metrics,
                ..profile
            }
        }
    };
    let memory = match &profile.body {
        Body::Tree(tree) => tree.root_cost().memory,
        _ => profile.edges().root.memory,
    };
    Some(RunSums {
        shape: Shape::of(&profile),
        totals: Totals::of(info, memory),
        paths: Paths::of(&profile),
        spreads: Spreads::of(&profile),
        spans: SpanSums::of(&profile),
        symbols: profile.symbols,
    })
}

/// What the list shows of a profile.
fn info(profile: &Profile, id: RunId, size: u64, received: u64) -> RunInfo {
    let meta = &profile.meta;
    let tag = |name: &str| meta.tag(name).filter(|text| !text.is_empty());
    let root = match profile.tree() {
        Some(tree) => tree.root_cost(),
        None => profile.edges().root,
    };
    let spans = &profile.spans;
    let is_sql = |span: &&profile::Span| span.kind == profile::SpanKind::Sql;
    let rate = tag("rate").and_then(|rate| rate.parse::<f64>().ok());
    let status = match (tag("status"), tag("exit_status")) {
        (Some(status), _) => status.to_owned(),
        (None, Some(code)) => format!("exit {code}"),
        (None, None) => String::new(),
    };
    const SHOWN: [&str; 9] = [
        "app",
        "route",
        "release",
        "rate",
        "status",
        "exit_status",
        "failed",
        "method",
        "path",
    ];
    let tags = meta.tags.iter();
    let tags = tags.filter(|(name, _)| !SHOWN.contains(&name.as_str()));
    RunInfo {
        id,
        app: app_of(meta),
        route: route_of(meta),
        release: release_of(meta),
        title: cut(meta.title.as_deref().unwrap_or_default()),
        // The database has signed numbers only.
        started_us: meta.started_unix_us.unwrap_or(received).min(u64::MAX >> 1),
        host: host_of(meta),
        method: cut(tag("method").unwrap_or_default()),
        status: cut(&status),
        failed: tag("failed").is_some_and(|failed| failed != "0"),
        rate: rate
            .filter(|rate| *rate > 0.0 && *rate <= 1.0)
            .unwrap_or(1.0),
        unit: profile.unit().to_owned(),
        body: match profile.body {
            Body::Tree(_) => "tree",
            Body::Edges(_) => "edges",
            Body::Samples(_) => "samples",
            Body::Events(_) => "events",
        }
        .to_owned(),
        wall: root.wall.min(MAX_COST),
        cpu: profile.metrics.cpu.then(|| root.cpu.min(MAX_COST)),
        peak: meta
            .peak_memory
            .or_else(|| (root.peak > 0).then(|| root.peak.unsigned_abs()))
            .map(|peak| peak.min(MAX_COST)),
        calls: profile.calls().min(MAX_COST),
        spans: (spans.list.len() as u64)
            .saturating_add(spans.left_out.count)
            .min(MAX_COST),
        sql: spans.list.iter().filter(is_sql).count() as u64,
        size,
        label: String::new(),
        tags: tags
            .take(MAX_TAGS)
            .map(|(name, value)| (cut(name), cut(value)))
            .collect(),
    }
}

/// The application of a run: the tag `app`, else `default`.
#[must_use]
pub fn app_of(meta: &Meta) -> String {
    let app = meta.tag("app").filter(|app| !app.is_empty());
    cut(app.unwrap_or("default"))
}

/// The route of a run: the tag `route`, else that of the request's path, else
/// that of the title.
#[must_use]
pub fn route_of(meta: &Meta) -> String {
    let set = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(str::to_owned);
    if let Some(route) = set(meta.tag("route")) {
        return cut(&route);
    }
    let place = set(meta.tag("path")).or_else(|| set(meta.title.as_deref()));
    let Some(place) = place else {
        return "[unknown]".to_owned();
    };
    cut(&String::from_utf8_lossy(&redact::route(place.as_bytes())))
}

/// The release of a run: the tag `release`; empty if it is not set.
#[must_use]
pub fn release_of(meta: &Meta) -> String {
    cut(meta.tag("release").unwrap_or_default())
}

/// The host of a run; empty if unknown.
#[must_use]
pub fn host_of(meta: &Meta) -> String {
    cut(meta.host.as_deref().unwrap_or_default())
}

/// The beginning of a long text.
fn cut(text: &str) -> String {
    let mut end = text.len().min(MAX_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default().to_owned()
}

/// The profile in a native file.
pub(crate) fn profile_of(plain: &[u8]) -> Result<Profile> {
    native::read_within(plain, &Limits::default(), &Budget::default())
        .map_err(|error| Error::Damaged(format!("a run's file: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A database that fails for one route.
    struct Fails;

    impl Dictionaries for Fails {
        fn find(&self, info: &RunInfo) -> Result<Option<(i64, Arc<Vec<u8>>)>> {
            if info.route == "bad" {
                return Err(Error::Profile("bad".to_owned()));
            }
            Ok(None)
        }
    }

    fn run(route: &str) -> NewRun {
        let mut profile = Profile::empty();
        profile.meta.set_tag("route", route);
        NewRun {
            profile,
            received: 1,
        }
    }

    #[test]
    fn what_is_refused_keeps_its_place_among_the_others() {
        let put = |routes: &[&str], full: bool| -> Vec<String> {
            let runs = routes.iter().map(|route| run(route)).collect();
            let outcomes = put_all(runs, &Fails, |usable| {
                let store = |run: Prepared| match full {
                    true => Err(Error::Full),
                    false => Ok(Stored {
                        id: run.info.id,
                        is_new: true,
                    }),
                };
                usable.into_iter().map(store).collect()
            });
            let text = |outcome: Result<Stored>| match outcome {
                Ok(stored) => stored.id.to_string(),
                Err(error) => format!("{error:?}"),
            };
            outcomes.into_iter().map(text).collect()
        };
        let id = |route: &str| put(&[route], false).remove(0);
        let bad = "Profile(\"bad\")".to_owned();
        assert_eq!(
            put(&["a", "bad", "b", "bad", "c"], false),
            [id("a"), bad.clone(), id("b"), bad.clone(), id("c")]
        );
        assert_eq!(put(&["bad", "a"], true), [bad.clone(), "Full".to_owned()]);
        assert_eq!(put(&["bad"], true), [bad]);
    }
}
