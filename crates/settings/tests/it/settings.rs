//! What is true of every setting, and of every text that a setting may get.

use std::collections::HashSet;
use std::time::Duration;

use proptest::prelude::*;
use settings::{Definition, Kind, Scope, Setting};

#[test]
fn every_static_is_in_the_list_of_its_group() {
    let sources = [
        (include_str!("../../src/everyday.rs"), settings::EVERYDAY),
        (include_str!("../../src/limits.rs"), settings::LIMITS),
        (include_str!("../../src/expert.rs"), settings::EXPERT),
    ];
    for (source, list) in sources {
        assert_eq!(source.matches(": Setting<").count(), list.len());
    }
}

#[test]
fn names_are_unique_and_begin_as_php_wants_them() {
    let mut names = HashSet::new();
    for setting in settings::all() {
        let name = setting.name();
        let rest = name.strip_prefix("xhprof.").expect(name);
        assert!(
            rest.bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_'),
            "{name}"
        );
        assert!(names.insert(name), "{name} is there twice");
        assert_eq!(settings::named(name).unwrap().name(), name);
    }
    assert_eq!(names.len(), 31);
    assert!(
        settings::named("xhprof.Rate").is_none(),
        "names are case-sensitive"
    );
}

#[test]
fn every_default_is_valid_and_has_no_nul() {
    for setting in settings::all() {
        let default = setting.default_text();
        assert!(setting.is_valid(&default), "{} = {default}", setting.name());
        assert!(!default.contains('\0'));
    }
}

#[test]
fn every_setting_says_what_it_takes_and_what_it_does() {
    for setting in settings::all() {
        assert!(!setting.expected().is_empty(), "{}", setting.name());
        assert!(setting.about().len() > 10, "{}", setting.name());
        // A cell of a table is one line.
        assert!(!setting.about().contains(['\n']), "{}", setting.name());
    }
}

#[test]
fn there_are_few_settings_and_twelve_for_every_day() {
    assert!(settings::all().count() < 32, "{}", settings::all().count());
    assert!(settings::EVERYDAY.len() <= 12);
}

#[test]
fn a_secret_is_no_setting_that_a_program_can_set() {
    for setting in settings::all().filter(|setting| setting.kind() == Kind::Secret) {
        assert_ne!(setting.scope(), Scope::Anywhere, "{}", setting.name());
    }
}

/// The setting has these values for these texts.
fn reads<T: Clone + PartialEq + std::fmt::Debug>(setting: &Setting<T>, values: &[(&str, T)]) {
    for (text, value) in values {
        assert_eq!(
            setting.parse(text).as_ref(),
            Some(value),
            "{} = {text:?}",
            setting.name()
        );
    }
}

/// The setting has its default for each of these.
fn refuses<T: Clone + PartialEq + std::fmt::Debug>(setting: &Setting<T>, texts: &[&str]) {
    for text in texts {
        assert_eq!(setting.parse(text), None, "{} = {text:?}", setting.name());
        assert_eq!(setting.value_of(text.as_bytes()), setting.default);
    }
}

#[test]
fn a_boolean_is_spelled_as_in_php_ini() {
    let on = ["1", "on", "On", "YES", "true", " 1 "].map(|text| (text, true));
    let off = ["0", "", "off", "No", "false", "none"].map(|text| (text, false));
    reads(&settings::DEBUG, &on);
    reads(&settings::DEBUG, &off);
    refuses(&settings::DEBUG, &["2", "-1", "o", "y", "enabled", "01"]);
}

#[test]
fn a_word_that_is_a_boolean_has_all_spellings() {
    use settings::{AutoEnable, ClosureNames};
    let auto_enable = [
        ("1", AutoEnable::Always),
        ("on", AutoEnable::Always),
        ("", AutoEnable::Off),
        ("no", AutoEnable::Off),
        ("never", AutoEnable::Never),
        (" Trigger\n", AutoEnable::Trigger),
    ];
    reads(&settings::AUTO_ENABLE, &auto_enable);
    let closures = [
        ("AUTO", ClosureNames::Auto),
        ("yes", ClosureNames::Place),
        ("", ClosureNames::Plain),
    ];
    reads(&settings::CLOSURE_NAMES, &closures);
    refuses(&settings::AUTO_ENABLE, &["2", "trigger 1", "always"]);
}

#[test]
fn a_word_that_is_no_boolean_has_one_spelling() {
    use settings::{ClockChoice, EngineChoice};
    reads(
        &settings::CLOCK,
        &[
            ("TSC", ClockChoice::Counter),
            ("pinned", ClockChoice::Pinned),
            ("auto", ClockChoice::Auto),
        ],
    );
    refuses(&settings::CLOCK, &["", "0", "1", "off", "tsc2"]);
    // php.ini turns `off` without quotes into an empty text.
    reads(
        &settings::ENGINE,
        &[("off", EngineChoice::Off), ("", EngineChoice::Off)],
    );
    refuses(&settings::ENGINE, &["1", "0", "on", "hook"]);
    refuses(&settings::MODE, &["", "1", "trees"]);
    refuses(&settings::SAMPLING_CLOCK, &["sundial", "", "1"]);
}

#[test]
fn numbers_end_at_their_limits() {
    reads(
        &settings::MAX_DEPTH,
        &[("1", 1), ("100000000", 100_000_000), (" 7 ", 7), ("007", 7)],
    );
    refuses(
        &settings::MAX_DEPTH,
        &[
            "0",
            "-1",
            "100000001",
            "1e3",
            "0x10",
            "",
            "1 000",
            "99999999999999999999",
        ],
    );
    reads(&settings::MAX_NODES, &[("100", 100)]);
    refuses(&settings::MAX_NODES, &["99"]);
    reads(
        &settings::MAX_PER_MINUTE,
        &[("0", 0), ("1000000", 1_000_000)],
    );
    refuses(&settings::MAX_PER_MINUTE, &["1000001"]);
    reads(
        &settings::MIN_DURATION,
        &[
            ("0", Duration::ZERO),
            ("86400000", Duration::from_secs(86_400)),
        ],
    );
    refuses(&settings::MIN_DURATION, &["86400001", "2s", "-1"]);
}

#[test]
fn a_sampling_interval_is_raised_to_the_shortest() {
    reads(
        &settings::SAMPLING_INTERVAL,
        &[
            ("1", 100),
            ("100", 100),
            ("101", 101),
            ("3600000000", 3_600_000_000),
        ],
    );
    refuses(&settings::SAMPLING_INTERVAL, &["0", "3600000001"]);
}

#[test]
fn sizes_have_suffixes_and_a_smallest_value() {
    let sizes = [
        ("64K", 65_536),
        ("64k", 65_536),
        ("65536", 65_536),
        ("1M", 1 << 20),
        ("2g", 2 << 30),
        ("1T", 1 << 40),
        (" 1 M", 1 << 20),
    ];
    reads(&settings::MAX_EVENTS_SIZE, &sizes);
    refuses(
        &settings::MAX_EVENTS_SIZE,
        &[
            "63K",
            "65535",
            "0",
            "",
            "M",
            "-1M",
            "1.5G",
            "1MB",
            "1P",
            "99999999T",
            "é",
            "1é",
        ],
    );
    reads(
        &settings::MAX_DIR_SIZE,
        &[("0", 0), (" 0 ", 0), ("64K", 65_536)],
    );
    refuses(&settings::MAX_DIR_SIZE, &["0K", "1", "00M", "-0"]);
}

#[test]
fn a_fraction_is_from_0_to_1() {
    reads(
        &settings::RATE,
        &[
            ("0", 0.0),
            ("1", 1.0),
            ("0.01", 0.01),
            ("1e-3", 0.001),
            (".5", 0.5),
        ],
    );
    refuses(
        &settings::RATE,
        &["1.01", "-0.1", "1%", "NaN", "inf", "", "0,5"],
    );
}

#[test]
fn permissions_are_octal_and_let_the_owner_read_and_write() {
    reads(
        &settings::FILE_PERMISSIONS,
        &[("0600", 0o600), ("640", 0o640), ("0777", 0o777)],
    );
    refuses(
        &settings::FILE_PERMISSIONS,
        &[
            "0400", "0200", "1777", "0800", "rw", "", "60", "00600", "+600", "0o60",
        ],
    );
}

#[test]
fn flags_are_words_in_any_order() {
    use settings::Flags;
    let flags = Flags {
        cpu: true,
        sql: true,
        ..Flags::NONE
    };
    reads(
        &settings::FLAGS,
        &[
            ("sql CPU", flags),
            ("cpu|sql", flags),
            ("cpu,,\tsql cpu", flags),
            ("", Flags::NONE),
        ],
    );
    refuses(&settings::FLAGS, &["cpus", "cpu;sql", "all", "1"]);
    assert_eq!(
        settings::FLAGS.parser.expected(),
        "any of the words cpu, lines, memory, no_builtins and sql"
    );
    assert_eq!(
        Flags::from_bits(6),
        Flags {
            cpu: true,
            memory: true,
            ..Flags::NONE
        }
    );
    assert_eq!(
        Flags::from_bits(!0),
        Flags {
            no_builtins: true,
            cpu: true,
            memory: true,
            ..Flags::NONE
        }
    );
    assert_eq!(
        Flags::from_bits(8),
        Flags::NONE,
        "other bits are ignored, as in XHProf"
    );
}

#[test]
fn lists_are_separated_by_commas_and_white_space() {
    let words = |words: &[&str]| {
        words
            .iter()
            .map(|&word| word.to_owned())
            .collect::<Vec<_>>()
    };
    let lists = [
        ("", words(&[])),
        (" , ,", words(&[])),
        ("a", words(&["a"])),
        ("a,b c\td\r\ne", words(&["a", "b", "c", "d", "e"])),
    ];
    reads(&settings::MATCH, &lists);
    refuses(&settings::MATCH, &["a\0b"]);
    reads(
        &settings::CAPTURE,
        &[("X-Id, a.b", words(&["X-Id", "a.b"]))],
    );
    refuses(&settings::CAPTURE, &["a;b", "ä", "a=b", &"x".repeat(65)]);
}

#[test]
fn a_trigger_is_a_name_or_nothing() {
    reads(
        &settings::TRIGGER,
        &[
            ("", "".into()),
            ("XHPROF", "XHPROF".into()),
            ("x-p.1_", "x-p.1_".into()),
        ],
    );
    refuses(
        &settings::TRIGGER,
        &["a b", "a=b", " ", "ü", &"x".repeat(65)],
    );
}

#[test]
fn a_pattern_of_file_names_has_no_slash_and_no_unknown_letter() {
    for valid in [
        "%i.%s",
        "%a%H%i%p%r%R%s%t%u%%",
        "profile",
        "ä",
        &"x".repeat(200),
    ] {
        assert!(settings::OUTPUT_NAME.parse(valid).is_some(), "{valid}");
    }
    refuses(
        &settings::OUTPUT_NAME,
        &[
            "",
            "a/b",
            "%",
            "%x",
            "a%",
            "a\nb",
            "\u{7f}",
            &"x".repeat(201),
        ],
    );
    assert_eq!(
        settings::OUTPUT_NAME.parser.expected(),
        "a file's name without slash or ending, in which %a %H %i %p %r %R %s %t and %u stand for something"
    );
}

#[test]
fn bytes_that_are_no_text_give_the_default() {
    assert_eq!(settings::MATCH.value_of(b"\xff"), settings::MATCH.default);
    assert_eq!(settings::MAX_DEPTH.value_of(b"\xff"), 25_000);
}

/// What a parser prints, it reads as the same value, and prints again alike.
fn is_read_again<T: Clone + PartialEq + std::fmt::Debug>(setting: &Setting<T>, value: &T) {
    let printed = setting.parser.print(value);
    assert_eq!(
        setting.parse(&printed).as_ref(),
        Some(value),
        "{} = {printed:?}",
        setting.name()
    );
}

#[test]
fn every_default_is_read_as_it_is_printed() {
    is_read_again(&settings::MODE, &settings::MODE.default);
    is_read_again(&settings::FLAGS, &settings::FLAGS.default);
    is_read_again(&settings::RATE, &settings::RATE.default);
    is_read_again(
        &settings::MAX_EVENTS_SIZE,
        &settings::MAX_EVENTS_SIZE.default,
    );
    is_read_again(
        &settings::FILE_PERMISSIONS,
        &settings::FILE_PERMISSIONS.default,
    );
    is_read_again(&settings::OUTPUT_NAME, &settings::OUTPUT_NAME.default);
    assert_eq!(settings::MAX_EVENTS_SIZE.default_text(), "1G");
    assert_eq!(settings::FILE_PERMISSIONS.default_text(), "0600");
    assert_eq!(settings::FLAGS.default_text(), "cpu memory sql");
    assert_eq!(settings::RATE.default_text(), "1");
}

proptest! {
    /// Whatever a text means, it means the same after printing.
    #[test]
    fn a_valid_text_means_what_its_printed_form_means(
        text in prop_oneof![
            "\\PC{0,12}",
            "[0-9]{1,12}[kKmMgGtT]?",
            "[01](\\.[0-9]{0,17})?",
            "0?[0-7]{3}",
            "((cpu|lines|memory|sql|no_builtins|CPU)[ ,|\t]?){0,5}",
            "[a-z_.-]{0,10}([ ,][a-z_.-]{0,10}){0,4}",
            "(%[aHiprRstu%]|[a-z.-]){1,9}",
            "0|1|on|off|auto|trigger|tsc|wall|cpu|tree|edges|pattern|exact|native|json",
        ]
    ) {
        fn check<T: Clone + PartialEq + std::fmt::Debug>(setting: &Setting<T>, text: &str) {
            if let Some(value) = setting.parse(text) {
                is_read_again(setting, &value);
            }
        }
        check(&settings::AUTO_ENABLE, &text);
        check(&settings::MODE, &text);
        check(&settings::FLAGS, &text);
        check(&settings::OUTPUT_DIR, &text);
        check(&settings::OUTPUT_NAME, &text);
        check(&settings::OUTPUT_FORMAT, &text);
        check(&settings::RATE, &text);
        check(&settings::MATCH, &text);
        check(&settings::TRIGGER, &text);
        check(&settings::MIN_DURATION, &text);
        check(&settings::DEBUG, &text);
        check(&settings::MAX_PER_MINUTE, &text);
        check(&settings::MAX_DIR_SIZE, &text);
        check(&settings::MAX_EVENTS_SIZE, &text);
        check(&settings::MAX_NODES, &text);
        check(&settings::SAMPLING_INTERVAL, &text);
        check(&settings::CAPTURE, &text);
        check(&settings::CLOCK, &text);
        check(&settings::CLOSURE_NAMES, &text);
        check(&settings::ENGINE, &text);
        check(&settings::FILE_PERMISSIONS, &text);
        check(&settings::SAMPLING_CLOCK, &text);
    }

    /// No text ends the process, and what is invalid has a sentence.
    #[test]
    fn no_text_is_too_strange(text in "\\PC*|[\\x00-\\x20%KMGT0-9]{0,30}") {
        for setting in settings::all() {
            let _ = setting.is_valid(&text);
        }
    }

    #[test]
    fn sizes_are_printed_with_the_largest_suffix(number in 64_u64..1024, power in 1_u32..4) {
        let size = number << (10 * power);
        let printed = settings::MAX_DIR_SIZE.parser.print(&size);
        prop_assert_eq!(settings::MAX_DIR_SIZE.parse(&printed), Some(size));
        prop_assert!(printed.len() <= 5, "{}", printed);
    }
}
