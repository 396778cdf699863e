//! The table of settings that PHP registers: names, defaults, validation.

use std::ffi::CStr;

use super::Flags;
use super::parse::{
    MAX_DEPTH, MAX_DURATION_MS, MAX_NODES, MAX_PER_MINUTE, MAX_SAMPLING_DEPTH,
    MAX_SAMPLING_INTERVAL_US, auto_enable, boolean, clock, closure_names, engine, file_mode,
    is_name, list, mode_of, number, output_format_of, pin, route_of, sampling_clock_of, share,
    size, size_or_zero,
};
use crate::zend::ini::{Kind, Scope, Setting};

/// Every setting, in the order of `phpinfo()`.
pub(crate) static SETTINGS: &[Setting] = &[
    Setting {
        name: c"xhprof.auto_enable",
        default: c"0",
        scope: Scope::PerDirectory,
        is_valid: |value| auto_enable(value).is_some(),
        expected: "0, 1 or trigger",
    },
    Setting {
        name: c"xhprof.automatic_dir",
        default: c"",
        scope: Scope::System,
        is_valid: is_text,
        expected: "a directory",
    },
    Setting {
        name: c"xhprof.capture",
        default: c"",
        scope: Scope::Anywhere,
        is_valid: |value| list(value).iter().all(|name| is_name(name)),
        expected: "names of letters, digits, _, - and ., with spaces or commas between them",
    },
    Setting {
        name: c"xhprof.clock",
        default: c"auto",
        scope: Scope::Anywhere,
        is_valid: |value| clock(value).is_some(),
        expected: "auto, tsc or monotonic",
    },
    Setting {
        name: c"xhprof.closure_names",
        default: c"auto",
        scope: Scope::Anywhere,
        is_valid: |value| closure_names(value).is_some(),
        expected: "auto, 0 or 1",
    },
    Setting {
        name: c"xhprof.collect_additional_info",
        default: c"0",
        scope: Scope::Anywhere,
        is_valid: |value| boolean(value).is_some(),
        expected: "0 or 1",
    },
    Setting {
        name: c"xhprof.compensate",
        default: c"0",
        scope: Scope::Anywhere,
        is_valid: |value| boolean(value).is_some(),
        expected: "0 or 1",
    },
    Setting {
        name: c"xhprof.debug",
        default: c"0",
        scope: Scope::Anywhere,
        is_valid: |value| boolean(value).is_some(),
        expected: "0 or 1",
    },
    Setting {
        name: c"xhprof.engine",
        default: c"auto",
        scope: Scope::System,
        is_valid: |value| engine(value).is_some(),
        expected: "auto, execute, observer or off",
    },
    Setting {
        name: c"xhprof.exclude",
        default: c"",
        scope: Scope::Anywhere,
        is_valid: is_text,
        expected: "patterns, with spaces or commas between them",
    },
    Setting {
        name: c"xhprof.file_permissions",
        default: c"0600",
        scope: Scope::Anywhere,
        is_valid: |value| file_mode(value).is_some(),
        expected: "octal permissions from 0600 to 0777, as in 0640",
    },
    Setting {
        name: c"xhprof.flags",
        default: c"cpu memory",
        scope: Scope::Anywhere,
        is_valid: |value| Flags::from_words(value).is_some(),
        expected: "any of the words cpu, memory, no_builtins and sql",
    },
    Setting {
        name: c"xhprof.ignored_functions",
        default: c"",
        scope: Scope::PerDirectory,
        is_valid: is_text,
        expected: "functions' names or patterns, with spaces or commas between them",
    },
    Setting {
        name: c"xhprof.keep_errors",
        default: c"0",
        scope: Scope::Anywhere,
        is_valid: |value| boolean(value).is_some(),
        expected: "0 or 1",
    },
    Setting {
        name: c"xhprof.match",
        default: c"",
        scope: Scope::PerDirectory,
        is_valid: is_text,
        expected: "patterns, with spaces or commas between them",
    },
    Setting {
        name: c"xhprof.max_depth",
        default: c"25000",
        scope: Scope::Anywhere,
        is_valid: |value| number(value, 1, MAX_DEPTH).is_some(),
        expected: "a number from 1 to 100000000",
    },
    Setting {
        name: c"xhprof.max_dir_size",
        default: c"0",
        scope: Scope::Anywhere,
        is_valid: |value| size_or_zero(value).is_some(),
        expected: "0, or a size of at least 64K, as in 256M or 1G",
    },
    Setting {
        name: c"xhprof.max_events_size",
        default: c"1G",
        scope: Scope::Anywhere,
        is_valid: |value| size(value).is_some(),
        expected: "a size of at least 64K, as in 256M or 1G",
    },
    Setting {
        name: c"xhprof.max_nodes",
        default: c"10000000",
        scope: Scope::Anywhere,
        is_valid: |value| number(value, 100, MAX_NODES).is_some(),
        expected: "a number from 100 to 100000000",
    },
    Setting {
        name: c"xhprof.max_per_minute",
        default: c"0",
        scope: Scope::PerDirectory,
        is_valid: |value| number(value, 0, MAX_PER_MINUTE).is_some(),
        expected: "a number from 0 to 1000000",
    },
    Setting {
        name: c"xhprof.min_duration",
        default: c"0",
        scope: Scope::Anywhere,
        is_valid: |value| number(value, 0, MAX_DURATION_MS).is_some(),
        expected: "milliseconds, from 0 to 86400000",
    },
    Setting {
        name: c"xhprof.mode",
        default: c"tree",
        scope: Scope::PerDirectory,
        is_valid: |value| mode_of(value).is_some(),
        expected: "edges, tree, events or sample",
    },
    Setting {
        name: c"xhprof.output_dir",
        default: c"",
        scope: Scope::Anywhere,
        is_valid: is_text,
        expected: "a directory",
    },
    Setting {
        name: c"xhprof.output_format",
        default: c"native",
        scope: Scope::Anywhere,
        is_valid: |value| output_format_of(value).is_some(),
        expected: "native, xhprof or json",
    },
    Setting {
        name: c"xhprof.output_name",
        default: c"%i.%s",
        scope: Scope::Anywhere,
        is_valid: crate::output::is_pattern,
        expected: "a file's name without slash or ending, in which %a %H %i %p %r %R %s %t and %u stand for something",
    },
    Setting {
        name: c"xhprof.pin_cpu",
        default: c"auto",
        scope: Scope::Anywhere,
        is_valid: |value| pin(value).is_some(),
        expected: "auto, 1 or 0",
    },
    Setting {
        name: c"xhprof.rate",
        default: c"1",
        scope: Scope::PerDirectory,
        is_valid: |value| share(value).is_some(),
        expected: "a number from 0 to 1, as in 0.01",
    },
    Setting {
        name: c"xhprof.route",
        default: c"pattern",
        scope: Scope::Anywhere,
        is_valid: |value| route_of(value).is_some(),
        expected: "pattern or exact",
    },
    Setting {
        name: c"xhprof.run_init",
        default: c"0",
        scope: Scope::Anywhere,
        is_valid: |value| boolean(value).is_some(),
        expected: "0 or 1",
    },
    Setting {
        name: c"xhprof.sampling_clock",
        default: c"wall",
        scope: Scope::Anywhere,
        is_valid: |value| sampling_clock_of(value).is_some(),
        expected: "wall or cpu",
    },
    Setting {
        name: c"xhprof.sampling_depth",
        default: c"2147483647",
        scope: Scope::Anywhere,
        is_valid: |value| number(value, 1, MAX_SAMPLING_DEPTH).is_some(),
        expected: "a number from 1 to 2147483647",
    },
    Setting {
        name: c"xhprof.sampling_interval",
        default: c"100000",
        scope: Scope::Anywhere,
        is_valid: |value| number(value, 1, MAX_SAMPLING_INTERVAL_US).is_some(),
        expected: "microseconds, from 1 to 3600000000",
    },
    Setting {
        name: c"xhprof.skip",
        default: c"",
        scope: Scope::PerDirectory,
        is_valid: is_text,
        expected: "patterns, with spaces or commas between them",
    },
    Setting {
        name: c"xhprof.spans",
        default: c"0",
        scope: Scope::Anywhere,
        is_valid: |value| boolean(value).is_some(),
        expected: "0 or 1",
    },
    Setting {
        name: c"xhprof.special_functions",
        default: c"0",
        scope: Scope::System,
        is_valid: |value| boolean(value).is_some(),
        expected: "0 or 1",
    },
    Setting {
        name: c"xhprof.trigger",
        default: c"",
        scope: Scope::PerDirectory,
        is_valid: |value| value.is_empty() || is_name(value),
        expected: "a name of letters, digits, _, - and .",
    },
    Setting {
        name: c"xhprof.trigger_secret",
        default: c"",
        scope: Scope::PerDirectory,
        is_valid: is_text,
        expected: "text in UTF-8",
    },
];

/// The settings of a special kind.
pub(crate) static KINDS: [(&CStr, Kind); 9] = [
    (
        c"xhprof.collect_additional_info",
        Kind::Alias(c"xhprof.spans"),
    ),
    (
        c"xhprof.spans",
        Kind::Alias(c"xhprof.collect_additional_info"),
    ),
    (c"xhprof.trigger_secret", Kind::Secret),
    (c"xhprof.output_dir", Kind::Path),
    (c"xhprof.max_dir_size", Kind::Limit),
    (c"xhprof.max_events_size", Kind::Limit),
    (c"xhprof.max_per_minute", Kind::Limit),
    (c"xhprof.min_duration", Kind::Limit),
    (c"xhprof.rate", Kind::Limit),
];

fn is_text(value: &str) -> bool {
    !value.contains('\0')
}
