//! The table that PHP registers: names, defaults, checks.

use super::Flags;
use super::parse::{
    MAX_DEPTH, MAX_NODES, MAX_SAMPLING_DEPTH, MAX_SAMPLING_INTERVAL_US, boolean, clock, engine,
    mode_of, number, output_format_of, pin, size,
};
use crate::zend::ini::{Scope, Setting};

/// Every setting, in the order of `phpinfo()`.
pub(crate) static SETTINGS: [Setting; 16] = [
    Setting {
        name: c"xhprof.auto_enable",
        default: c"0",
        scope: Scope::PerDirectory,
        is_valid: |value| boolean(value).is_some(),
        expected: "0 or 1",
    },
    Setting {
        name: c"xhprof.clock",
        default: c"auto",
        scope: Scope::Anywhere,
        is_valid: |value| clock(value).is_some(),
        expected: "auto, tsc or monotonic",
    },
    Setting {
        name: c"xhprof.collect_additional_info",
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
        name: c"xhprof.flags",
        default: c"cpu memory",
        scope: Scope::Anywhere,
        is_valid: |value| Flags::from_words(value).is_some(),
        expected: "any of the words cpu, memory and no_builtins",
    },
    Setting {
        name: c"xhprof.max_depth",
        default: c"25000",
        scope: Scope::Anywhere,
        is_valid: |value| number(value, 1, MAX_DEPTH).is_some(),
        expected: "a number from 1 to 100000000",
    },
    Setting {
        name: c"xhprof.max_file_size",
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
        name: c"xhprof.mode",
        default: c"tree",
        scope: Scope::PerDirectory,
        is_valid: |value| mode_of(value).is_some(),
        expected: "edges, tree or events",
    },
    Setting {
        name: c"xhprof.output_dir",
        default: c"",
        scope: Scope::Anywhere,
        is_valid: |value| !value.contains('\0'),
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
        name: c"xhprof.run_init",
        default: c"0",
        scope: Scope::Anywhere,
        is_valid: |value| boolean(value).is_some(),
        expected: "0 or 1",
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
];
