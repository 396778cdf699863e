//! Files of runs in a bucket. Runs if `XHPROF_TEST_BUCKET` names one, too: an address,
//! below which each test has a prefix of its own. The key is in the environment.

use std::collections::BTreeSet;
use std::time::Duration;

use store::bucket::{Address, Bucket};
use store::{
    ClickhouseAddress, ClickhouseStore, Error, Policy, Retention, RunId, Runs, Store, Sums,
};

use super::{BEGIN_US, NEVER, Server, database_of, run};

/// The bucket of a store: with its database as the prefix.
pub(super) fn of_database(database: &str) -> Option<Address> {
    let address = std::env::var("XHPROF_TEST_BUCKET").ok()?;
    let (place, options) = address.split_once('?').unwrap();
    Some(Address::parse(&format!("{place}/{database}?{options}")).unwrap())
}

struct Case {
    server: Server,
    address: ClickhouseAddress,
    database: String,
    bucket: Bucket,
}

impl Case {
    fn new() -> Option<Self> {
        let server = Server::named()?;
        let address = server.address();
        let database = database_of(&address);
        let bucket = of_database(&database)?;
        Some(Self {
            server,
            address,
            database,
            bucket: Bucket::new(bucket).unwrap(),
        })
    }

    fn open(&self) -> ClickhouseStore {
        ClickhouseStore::open_with(self.address.clone(), NEVER).unwrap()
    }

    /// The address of the same tables, as if there were no bucket.
    fn without_bucket(&self) -> ClickhouseAddress {
        let nodes = self.server.parts.0.rsplit_once('/').unwrap().0;
        let address = format!("{nodes}/{}{}", self.database, self.server.parts.1);
        ClickhouseAddress::parse(&address).unwrap()
    }

    fn objects(&self) -> BTreeSet<String> {
        let mut all = BTreeSet::new();
        for folder in 0..=255 {
            let (names, has_more) = self.bucket.list(&format!("{folder:02x}"), None).unwrap();
            assert!(!has_more);
            all.extend(names);
        }
        all
    }
}

/// The name of an object without a run, as old as that.
fn unused(age_s: u64) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let time = u64::try_from(now.unwrap().as_micros()).unwrap() - age_s * 1_000_000;
    format!("{}-{time:016x}-01234567", RunId::of(b"no run"))
}

#[test]
fn files_are_in_the_bucket_and_leave_it_after_their_runs() {
    let Some(case) = Case::new() else {
        return;
    };
    let store = case.open();
    let ids: Vec<RunId> = (0..20).map(|n| store.put(run(n)).unwrap().id).collect();
    let objects = case.objects();
    assert_eq!(objects.len(), 20);
    for (object, id) in objects.iter().zip(ids.iter().collect::<BTreeSet<_>>()) {
        assert!(object.starts_with(&id.to_string()), "{object}");
    }
    let largest = format!("SELECT max(length(file)) FROM {}.run", case.database);
    let largest: u64 = case.server.statement(&largest).trim().parse().unwrap();
    assert!(largest < 100, "a row has the name of its object only");
    // Sent again, a run makes no object.
    assert!(!store.put(run(3)).unwrap().is_new);
    assert_eq!(case.objects(), objects);
    assert_eq!(store.verify().unwrap().problems, []);
    // A policy keeps five: the rows go first, then the objects.
    let policy = Policy {
        days: None,
        runs: Some(5),
        bytes: None,
        notable: 0,
        ..Policy::default()
    };
    let now = BEGIN_US + 100 * 3_600_000_000;
    assert_eq!(store.retain("shop", &policy, now).unwrap().runs, 15);
    assert_eq!(case.objects(), objects);
    // What a killed server left, and what another one has just begun to store.
    let (old, young) = (unused(7200), unused(60));
    case.bucket.put(&old, b"x").unwrap();
    case.bucket.put(&young, b"x").unwrap();
    case.bucket.put("00-of-a-user", b"x").unwrap();
    let (hour, soon) = (Duration::from_secs(3600), Duration::from_millis(10));
    // The fifteen are known; of lists, only old ones are removed.
    assert_eq!(store.sweep_with(hour, soon).unwrap(), Some(16));
    let left = case.objects();
    assert!(left.contains(&young) && !left.contains(&old));
    assert!(left.contains("00-of-a-user"));
    assert_eq!(left.len(), 5 + 2);
    assert_eq!(store.verify().unwrap().problems, []);
    // Another server does not know what this one has removed, and finds it by lists.
    store
        .retain(
            "shop",
            &Policy {
                runs: Some(2),
                ..policy
            },
            now,
        )
        .unwrap();
    drop(store);
    let other = case.open();
    assert_eq!(other.sweep_with(Duration::ZERO, soon).unwrap(), Some(4));
    assert_eq!(case.objects().len(), 2 + 1);
    assert_eq!(other.stats().unwrap().runs, 2);
    assert_eq!(other.verify().unwrap().problems, []);
}

#[test]
fn a_missing_object_is_named_and_its_run_is_not_half_deleted() {
    let Some(case) = Case::new() else {
        return;
    };
    let store = case.open();
    let (id, other) = (store.put(run(1)).unwrap().id, store.put(run(2)).unwrap().id);
    store.fold().unwrap();
    let object = case.objects();
    let object = object.iter().find(|name| name.starts_with(&id.to_string()));
    case.bucket.delete(object.unwrap()).unwrap();
    for error in [
        store.run(&id).unwrap_err(),
        store.delete(&[id]).unwrap_err(),
    ] {
        let text = error.to_string();
        assert!(matches!(error, Error::Damaged(_)), "{text}");
        assert!(
            text.contains(object.unwrap()) && text.contains(&id.to_string()),
            "{text}"
        );
    }
    let problems = store.verify().unwrap().problems;
    let problem = problems
        .iter()
        .find(|problem| problem.item == format!("run {id}"));
    assert!(
        problem.unwrap().reason.contains(object.unwrap()),
        "{problems:?}"
    );
    assert!(store.run(&other).unwrap().is_some());
    assert_eq!(store.stats().unwrap().runs, 2);
    // The sums have it, and a policy may remove it.
    assert_eq!(store.routes(&store::Selection::default()).unwrap().len(), 2);
}

#[test]
fn a_store_has_its_own_bucket_and_no_other() {
    let Some(case) = Case::new() else {
        return;
    };
    case.open().put(run(1)).unwrap();
    let refused = |address: ClickhouseAddress, part: &str| {
        let error = ClickhouseStore::open(address).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    refused(case.without_bucket(), "are in a bucket");
    let wrong = of_database(&format!("{}-other", case.database)).unwrap();
    refused(case.without_bucket().with_bucket(wrong), "is not the one");
    // Another store does not get this bucket.
    let other = case.server.address();
    let own = of_database(&case.database).unwrap();
    refused(other.with_bucket(own), "files of another store");
    // One that is not there.
    let away = Address::parse("s3://runs?endpoint=http://127.0.0.1:9").unwrap();
    let error = ClickhouseStore::open(case.without_bucket().with_bucket(away)).unwrap_err();
    assert!(matches!(error, Error::Unavailable(_)), "{error}");
    assert!(
        error
            .to_string()
            .contains("s3://runs/ at http://127.0.0.1:9"),
        "{error}"
    );
    assert_eq!(case.open().stats().unwrap().runs, 1);
}
