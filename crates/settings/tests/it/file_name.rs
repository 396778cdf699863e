//! Names of files: laws that hold for any request.

use proptest::prelude::*;
use settings::file_name::{Facts, MAX_NAME, RunId, by_pattern, is_pattern};

/// The longest thing that is put after a name: `.<run id>.xhp.partial`.
const LONGEST_ENDING: usize = 1 + 32 + ".xhp.partial".len();
/// `NAME_MAX` of Linux and of macOS.
const NAME_MAX: usize = 255;

#[derive(Debug, Clone)]
struct Request {
    sapi: Vec<u8>,
    host: Vec<u8>,
    route: Vec<u8>,
    script: Vec<u8>,
    run: RunId,
    time_us: u64,
}

impl Facts for Request {
    fn sapi(&self) -> Vec<u8> {
        self.sapi.clone()
    }

    fn host(&self) -> Vec<u8> {
        self.host.clone()
    }

    fn route(&self) -> Vec<u8> {
        self.route.clone()
    }

    fn script(&self) -> Vec<u8> {
        self.script.clone()
    }

    fn run(&self) -> &RunId {
        &self.run
    }

    fn time_us(&self) -> u64 {
        self.time_us
    }
}

fn request() -> Request {
    Request {
        sapi: b"fpm-fcgi".to_vec(),
        host: b"shop.example:8080".to_vec(),
        route: b"/articles/?".to_vec(),
        script: b"/srv/app/public/index.inc.php".to_vec(),
        run: RunId::new(0x0005_0000_0000_0001, 0x1234, 0xabcd_ef01_2300_0000),
        time_us: 1_700_000_000_123_456,
    }
}

#[test]
fn the_default_is_run_id_and_script() {
    assert_eq!(
        by_pattern("%i.%s", &request()),
        "0500000000000100001234abcdef0123.index_inc"
    );
}

#[test]
fn each_letter_stands_for_its_part() {
    let request = request();
    let is = |pattern: &str, name: &str| assert_eq!(by_pattern(pattern, &request), name);
    is("%a", "fpm-fcgi");
    is("%H", "shop.example_8080");
    is("%p", "4660");
    is("%r", "abcdef0123");
    is("%R", "articles__");
    is("%s", "index_inc");
    is("%t", "1700000000");
    is("%u", "1700000000123456");
    is("100%%", "100%");
    is("a-%p-%p", "a-4660-4660");
}

#[test]
fn a_part_that_is_missing_has_a_word() {
    let nothing = Request {
        sapi: Vec::new(),
        host: Vec::new(),
        route: Vec::new(),
        script: Vec::new(),
        ..request()
    };
    assert_eq!(
        by_pattern("%a %H %R %s", &nothing),
        "php nohost noroute php"
    );
    // A route of slashes is empty, too.
    let root = Request {
        route: b"///".to_vec(),
        ..request()
    };
    assert_eq!(by_pattern("%R", &root), "noroute");
}

#[test]
fn dots_and_dashes_do_not_begin_a_name() {
    let hidden = Request {
        host: b"..".to_vec(),
        script: b"-rf.php".to_vec(),
        ..request()
    };
    assert_eq!(by_pattern("%H", &hidden), "_..");
    assert_eq!(by_pattern("%s", &hidden), "_-rf");
    assert_eq!(by_pattern(".profile", &hidden), "_.profile");
}

#[test]
fn a_run_id_sorts_by_time_and_names_its_process() {
    let early = RunId::new(1_000, 7, u64::MAX);
    let late = RunId::new(1_001, 6, 0);
    assert!(early.id() < late.id());
    assert_eq!(late.id(), "000000000003e9000000060000000000");
    assert_eq!((early.process(), early.random()), (7, "ffffffffff"));
}

fn any_request() -> impl Strategy<Value = Request> {
    let text = || {
        prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..300),
            "[./-]{0,4}[a-z0-9./%-]{0,300}".prop_map(String::into_bytes),
            "\\PC{0,200}".prop_map(String::into_bytes),
        ]
    };
    (text(), text(), text(), text(), any::<(u64, u32, u64)>()).prop_map(
        |(sapi, host, route, script, (time_us, process, random))| Request {
            sapi,
            host,
            route,
            script,
            run: RunId::new(time_us, process, random),
            time_us,
        },
    )
}

fn any_pattern() -> impl Strategy<Value = String> {
    prop_oneof![
        "(%[aHiprRstu%]|[^%/\\x00-\\x1f\\x7f-\\u{9f}]){1,60}",
        "\\PC{0,80}",
        "[.%aHiprRstux/-]{0,40}"
    ]
}

proptest! {
    #[test]
    fn a_name_stays_in_its_directory_and_fits(
        pattern in any_pattern().prop_filter("valid", |pattern| is_pattern(pattern)),
        request in any_request(),
    ) {
        let name = by_pattern(&pattern, &request);
        prop_assert!(!name.is_empty());
        prop_assert!(!name.starts_with(['.', '-']), "{}", name);
        prop_assert!(!name.contains(['/', '\0']), "{}", name);
        prop_assert!(!name.chars().any(char::is_control), "{:?}", name);
        prop_assert!(name.len() <= MAX_NAME + 1, "{}", name.len());
        prop_assert!(name.len() + LONGEST_ENDING <= NAME_MAX);
    }

    /// Whatever the request: its parts alone give letters, digits, `_`, `-` and `.`.
    #[test]
    fn placeholders_give_plain_letters(letter in "[aHiprRstu]", request in any_request()) {
        let name = by_pattern(&format!("%{letter}"), &request);
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
        prop_assert!(name.bytes().all(is_plain), "{}", name);
        prop_assert!(letter == "H" || !name.contains('.'), "{}", name);
    }

    #[test]
    fn run_ids_have_32_digits_and_differ_where_their_parts_do(
        one in any::<(u64, u32, u64)>(), other in any::<(u64, u32, u64)>()
    ) {
        let [one, other] = [one, other].map(|(time, process, random)| {
            // 14 digits of time, 10 of the random number.
            ((time & ((1 << 56) - 1), process, random >> 24), RunId::new(time, process, random))
        });
        prop_assert_eq!(one.1.id().len(), 32);
        prop_assert!(one.1.id().bytes().all(|byte| byte.is_ascii_hexdigit()));
        prop_assert_eq!(one.0 == other.0, one.1.id() == other.1.id());
        prop_assert!(one.1.id().ends_with(one.1.random()));
    }
}
