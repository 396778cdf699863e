//! Where each PHP keeps what this crate reads.
//!
//! The numbers come from `layouts/offsets.c`, a C program with `offsetof` that is compiled against the headers of each
//! PHP. `layouts/layouts.txt` has its results, a column for each PHP.
//!
//! **Invariant:** a layout is complete. A table without one of the fields is refused.

use std::collections::HashMap;
use std::fmt;

/// The table of this version of the program.
const TABLE: &str = include_str!("../layouts/layouts.txt");

macro_rules! layout {
    ($($(#[$about:meta])* $field:ident = $name:literal,)+) => {
        /// The layout of one PHP. Offsets and sizes are in bytes.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Layout {
            /// Whether it is that of a thread-safe PHP.
            pub zts: bool,
            $($(#[$about])* pub(crate) $field: u64,)+
        }

        impl Layout {
            fn of(zts: bool, values: &HashMap<&str, u64>) -> Result<Self, LayoutError> {
                let value = |name: &'static str| {
                    values.get(name).copied().ok_or(LayoutError::Missing { name })
                };
                Ok(Self { zts, $($field: value($name)?,)+ })
            }
        }
    };
}

layout! {
    /// `ZEND_MODULE_API_NO`, which a minor version of PHP keeps.
    api = "number.api",
    current_execute_data = "executor.current_execute_data",
    function_table = "executor.function_table",
    class_table = "executor.class_table",
    constants = "executor.zend_constants",
    in_compilation = "compiler.in_compilation",
    compiled_filename = "compiler.compiled_filename",
    opline = "frame.opline",
    func = "frame.func",
    call_info = "frame.call_info",
    prev = "frame.prev_execute_data",
    frame_size = "size.frame",
    lineno = "op.lineno",
    opcode = "op.opcode",
    op_size = "size.op",
    kind = "function.type",
    fn_flags = "function.fn_flags",
    function_name = "function.function_name",
    scope = "function.scope",
    module = "function.module",
    last = "function.last",
    opcodes = "function.opcodes",
    filename = "function.filename",
    line_start = "function.line_start",
    function_size = "size.function",
    class_name = "class.name",
    string_len = "string.len",
    string_val = "string.val",
    table_used = "table.used",
    table_buckets = "table.buckets",
    bucket_value = "bucket.value",
    bucket_key = "bucket.key",
    bucket_size = "size.bucket",
    module_api = "module.api",
    module_debug = "module.debug",
    module_zts = "module.zts",
    module_name = "module.name",
    module_version = "module.version",
    module_size = "size.module",
    request_method = "sapi.request_method",
    request_uri = "sapi.request_uri",
    path_translated = "sapi.path_translated",
    server = "core.server",
    value_type = "zval.type",
    array = "number.array",
    string = "number.string",
    sapi_name = "sapi_module.name",
    call_generator = "flag.call_generator",
    acc_generator = "flag.acc_generator",
    acc_closure = "flag.acc_closure",
    acc_fake_closure = "flag.acc_fake_closure",
    acc_trampoline = "flag.acc_trampoline",
    include_or_eval = "number.include_or_eval",
}

/// Why a table of layouts cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LayoutError {
    /// A line is not `name value…`.
    Line {
        /// Its number, from 1.
        line: usize,
    },
    /// The table lacks a field.
    Missing {
        /// The field.
        name: &'static str,
    },
}

impl std::error::Error for LayoutError {}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line { line } => write!(f, "line {line} is not a name and a number for each PHP"),
            Self::Missing { name } => write!(f, "it has no {name}"),
        }
    }
}

/// The layouts of the PHPs that this version of the program knows.
#[must_use]
pub fn known() -> Vec<Layout> {
    // A test reads the table: it is never refused.
    parse(TABLE).unwrap_or_default()
}

/// Reads a table: a column for each PHP, as `make.sh` prints it, or the output of one run of `offsets.c`.
///
/// # Errors
///
/// If a line is not of that form, or a field is missing.
pub fn parse(table: &str) -> Result<Vec<Layout>, LayoutError> {
    let mut names = vec![""];
    let mut columns: Vec<HashMap<&str, u64>> = vec![HashMap::new()];
    for (index, text) in table.lines().enumerate() {
        let mut words = text.split_ascii_whitespace();
        let Some(name) = words.next().filter(|name| !name.starts_with('#')) else {
            continue;
        };
        let error = LayoutError::Line { line: index + 1 };
        if name == "build" {
            names = words.collect();
            columns = vec![HashMap::new(); names.len()];
            continue;
        }
        let values: Result<Vec<u64>, _> = words.map(str::parse).collect();
        let values = values.map_err(|_| error.clone())?;
        if values.len() != columns.len() {
            return Err(error);
        }
        for (column, value) in columns.iter_mut().zip(values) {
            column.insert(name, value);
        }
    }
    let columns = names.iter().zip(&columns);
    let layouts = columns.map(|(name, values)| Layout::of(name.ends_with("-zts"), values));
    layouts.collect()
}

impl Layout {
    /// The version of PHP with that API, as far as it is known.
    #[must_use]
    pub fn version(&self) -> &'static str {
        version_of_api(self.api)
    }

    /// How many bytes of a function are read.
    pub(crate) fn function_bytes(&self) -> usize {
        to_usize(self.line_start + 4)
    }
}

/// The minor version of PHP whose extensions have that API.
#[must_use]
pub fn version_of_api(api: u64) -> &'static str {
    match api {
        20_200_930 => "8.0",
        20_210_902 => "8.1",
        20_220_829 => "8.2",
        20_230_831 => "8.3",
        20_240_924 => "8.4",
        20_250_925 => "8.5",
        20_260_924 => "8.6",
        _ => "of an unknown version",
    }
}

/// An offset as an index.
pub(crate) fn to_usize(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_each_php_twice() {
        let layouts = parse(TABLE).unwrap();
        let names = layouts.iter().map(|layout| (layout.version(), layout.zts));
        let versions = ["8.1", "8.2", "8.3", "8.4", "8.5", "8.6"];
        let expected = versions
            .iter()
            .flat_map(|version| [(*version, false), (*version, true)]);
        assert!(names.eq(expected));
        for layout in layouts {
            assert!(layout.prev < layout.frame_size && layout.line_start < layout.function_size);
        }
    }

    #[test]
    fn a_thread_safe_php_has_the_layout_of_the_plain_one() {
        // No field that is read comes after one that only thread-safe PHPs have.
        for pair in known().chunks(2) {
            let [plain, safe] = pair else {
                panic!("a column without its pair");
            };
            let safe = Layout {
                zts: false,
                ..safe.clone()
            };
            assert_eq!(*plain, safe);
        }
    }

    #[test]
    fn the_output_of_one_run_is_a_table() {
        let all: Vec<_> = TABLE
            .lines()
            .filter(|line| !line.starts_with(['#', 'b']))
            .collect();
        let buckets = TABLE.lines().filter(|line| line.starts_with("bu"));
        let buckets = buckets.filter(|line| !line.starts_with("build"));
        let lines = all.into_iter().chain(buckets);
        let first = lines.map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" "));
        let text = first.collect::<Vec<_>>().join("\n");
        assert_eq!(parse(&text).unwrap(), [parse(TABLE).unwrap()[0].clone()]);
    }

    #[test]
    fn what_is_not_a_table_is_refused() {
        assert_eq!(parse("a b"), Err(LayoutError::Line { line: 1 }));
        assert_eq!(
            parse("build 1 2\n\na 1"),
            Err(LayoutError::Line { line: 3 })
        );
        assert_eq!(
            parse("number.api 1"),
            Err(LayoutError::Missing {
                name: "executor.current_execute_data"
            })
        );
    }
}
