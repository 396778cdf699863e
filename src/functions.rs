//! The PHP functions: `xhprof_enable()` and its relatives.
//!
//! `xhprof.stub.php` documents them; a test compares it with reflection.

use ext_php_rs::args::Arg;
use ext_php_rs::builders::{FunctionBuilder, ModuleBuilder};
use ext_php_rs::flags::DataType;
use ext_php_rs::types::{ZendHashTable, ZendStr, Zval};
use ext_php_rs::zend::ExecuteData;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::engine::Engine;
use crate::naming::NamingOptions;
use crate::options::Options;
use crate::settings::{self, Flags};
use crate::zend::array::Array;
use crate::zend::{array, parameters};
use crate::{autostart, output, program, session, zend};

/// The function that returns `string|false`, which the builder cannot declare.
pub(crate) const RETURNS_STRING_OR_FALSE: &str = "xhprof_write";

/// Adds the functions and constants to the module.
pub(crate) fn register(module: ModuleBuilder<'_>) -> ModuleBuilder<'_> {
    let enable = FunctionBuilder::new("xhprof_enable", xhprof_enable)
        .arg(Arg::new("flags", DataType::Long).default("0"))
        .arg(Arg::new("options", DataType::Array).default("[]"))
        .required_args(0)
        .returns(DataType::Void, false, false);
    let disable = FunctionBuilder::new("xhprof_disable", xhprof_disable).returns(
        DataType::Array,
        false,
        true,
    );
    let sample_enable = FunctionBuilder::new("xhprof_sample_enable", xhprof_sample_enable).returns(
        DataType::Void,
        false,
        false,
    );
    let sample_disable = FunctionBuilder::new("xhprof_sample_disable", xhprof_disable).returns(
        DataType::Array,
        false,
        true,
    );
    let write = FunctionBuilder::new("xhprof_write", xhprof_write)
        .arg(
            Arg::new("file", DataType::String)
                .allow_null()
                .default("null"),
        )
        .required_args(0)
        .returns(DataType::String, false, false);
    let dump = FunctionBuilder::new("xhprof_dump", xhprof_dump)
        .arg(Arg::new("file", DataType::String))
        .arg(Arg::new("format", DataType::String).default("'native'"))
        .required_args(1)
        .returns(DataType::Bool, false, false);
    let status =
        FunctionBuilder::new("xhprof_status", xhprof_status).returns(DataType::Array, false, false);
    let pause =
        FunctionBuilder::new("xhprof_pause", xhprof_pause).returns(DataType::Bool, false, false);
    let resume =
        FunctionBuilder::new("xhprof_resume", xhprof_resume).returns(DataType::Bool, false, false);
    let tag = FunctionBuilder::new("xhprof_tag", xhprof_tag)
        .arg(Arg::new("key", DataType::String))
        .arg(Arg::new("value", DataType::String))
        .returns(DataType::Bool, false, false);
    module
        .function(tag)
        .function(enable)
        .function(disable)
        .function(write)
        .function(dump)
        .function(status)
        .function(pause)
        .function(resume)
        .function(sample_enable)
        .function(sample_disable)
        .constant(("XHPROF_FLAGS_NO_BUILTINS", Flags::NO_BUILTINS, &[]))
        .constant(("XHPROF_FLAGS_CPU", Flags::CPU, &[]))
        .constant(("XHPROF_FLAGS_MEMORY", Flags::MEMORY, &[]))
}

extern "C" fn xhprof_enable(call: &mut ExecuteData, _result: &mut Zval) {
    let Some((flags, options)) = parameters::flags_and_options(call) else {
        return;
    };
    // No warning if a profile is running: its flags and its list stay.
    autostart::suspend();
    if session::is_running() {
        return;
    }
    let mut read = (Options::none(), HashSet::new());
    if let Some(options) = options {
        let mut ignored = HashSet::new();
        // Everything is read before the first warning.
        let (asked, _) = zend::run_and_keep(Options::read(options), |(_, problems)| {
            ignored = ignored_functions(options);
            problems.iter().for_each(|problem| zend::warning(problem));
        });
        read = (asked, ignored);
    }
    let (options, ignored) = read;
    let outcome = program::begin(
        Flags {
            lines: options.lines,
            ..Flags::from_bits(flags)
        },
        NamingOptions::of_settings(ignored),
        options,
    );
    if !session::is_running() {
        autostart::resume();
    }
    if let Err(error) = outcome {
        warn(&format!("nothing is recorded: {error:#}"));
    }
}

extern "C" fn xhprof_sample_enable(call: &mut ExecuteData, _result: &mut Zval) {
    if parameters::nothing(call) {
        autostart::suspend();
        let was_running = session::is_running();
        let naming = NamingOptions::of_settings(HashSet::new());
        let outcome = session::start_sampling(naming, true);
        if !session::is_running() {
            autostart::resume();
        } else if !was_running {
            output::begin_annotations(output::Annotations::default());
        }
        if let Err(problem) = outcome {
            warn(&format!("nothing is recorded: {problem}"));
        }
    }
}

/// `xhprof_disable()` and `xhprof_sample_disable()`: ends either mode.
extern "C" fn xhprof_disable(call: &mut ExecuteData, result: &mut Zval) {
    if !parameters::nothing(call) || autostart::is_running() {
        return;
    }
    match program::end() {
        Some(Ok(recorded)) => {
            zend::run_and_drop(recorded, |recorded| output::return_array(recorded, result));
        }
        Some(Err(error)) => warn(&format!("nothing was recorded: {error:#}")),
        None => {}
    }
}

extern "C" fn xhprof_write(call: &mut ExecuteData, result: &mut Zval) {
    result.set_bool(false);
    let Some(file) = parameters::optional_file(call) else {
        return;
    };
    zend::run_and_drop(file, |file| match program::write(file.as_deref()) {
        Ok(path) => zend::run_and_drop(path, |path| {
            result.set_zend_string(ZendStr::new(path.as_os_str().as_bytes(), false));
        }),
        Err(error) => warn(&format!("{error:#}")),
    });
}

/// Warns. The message is dropped even if the warning bails out.
fn warn(message: &str) {
    zend::run_and_drop(message.to_owned(), |message| zend::warning(message));
}

extern "C" fn xhprof_pause(call: &mut ExecuteData, result: &mut Zval) {
    if parameters::nothing(call) {
        result.set_bool(session::pause());
    }
}

extern "C" fn xhprof_resume(call: &mut ExecuteData, result: &mut Zval) {
    if parameters::nothing(call) {
        result.set_bool(session::resume());
    }
}

extern "C" fn xhprof_dump(call: &mut ExecuteData, result: &mut Zval) {
    result.set_bool(false);
    let Some((file, format)) = parameters::file_and_format(call) else {
        return;
    };
    zend::run_and_drop(file, |file| {
        let path = Path::new(OsStr::from_bytes(file));
        dump(path, format.unwrap_or(b"native"), result);
    });
}

fn dump(path: &Path, format: &[u8], result: &mut Zval) {
    let format = String::from_utf8_lossy(format);
    let Some(format) = settings::OUTPUT_FORMAT.parse(&format) else {
        zend::warning(&format!(
            "the format must be native, xhprof or json, not \"{format}\""
        ));
        return;
    };
    match output::dump(path, format, session::snapshot) {
        Ok(true) => result.set_bool(true),
        Ok(false) => {
            zend::warning("nothing is being recorded, or as events, which are in a file already");
        }
        Err(error) => zend::warning(&format!("{error:#}")),
    }
}

extern "C" fn xhprof_status(call: &mut ExecuteData, result: &mut Zval) {
    if !parameters::nothing(call) {
        return;
    }
    let status = session::status();
    let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let engine = match session::engine_in_use() {
        Ok(Engine::Execute) => "execute",
        Ok(Engine::Observer) => "observer",
        Err(_) => "off",
    };
    let mut array = Array::with_capacity(9);
    array.set_bytes(b"mode", status.mode.as_bytes());
    array.set_bool(b"automatic", autostart::is_running());
    array.set_bytes(b"decision", autostart::decision().as_bytes());
    array.set_bool(b"paused", status.is_paused);
    array.set_bytes(b"engine", engine.as_bytes());
    array.set_int(b"functions", count(status.functions));
    array.set_int(b"nodes", count(status.nodes));
    array.set_int(b"compared", count(status.compared));
    array.set_bool(b"truncated", status.is_truncated);
    array.return_in(result);
}

extern "C" fn xhprof_tag(call: &mut ExecuteData, result: &mut Zval) {
    if let Some((key, value)) = parameters::two_strings(call) {
        let outcome = output::tag(key, value);
        result.set_bool(outcome.is_ok());
        if let Err(problem) = outcome {
            zend::warning(&problem);
        }
    }
}

/// Reads `['ignored_functions' => 'name' | ['name', …]]`.
fn ignored_functions(options: &ZendHashTable) -> HashSet<Box<[u8]>> {
    let Some(list) = array::get(options, "ignored_functions") else {
        return HashSet::new();
    };
    if let Some(name) = list.as_bytes() {
        return HashSet::from([name.into()]);
    }
    let Some(list) = list.as_array() else {
        zend::warning(&format!(
            "option \"ignored_functions\" must be a function's name or an array of names, not {}",
            list.type_name()
        ));
        return HashSet::new();
    };
    let (mut names, mut skipped) = (HashSet::new(), Vec::new());
    for value in array::values(list) {
        match value.as_bytes() {
            Some(name) => {
                names.insert(name.into());
            }
            None => skipped.push(value.type_name()),
        }
    }
    // Only after the list has been read: an error handler may free it.
    for type_name in skipped {
        zend::warning(&format!(
            "option \"ignored_functions\" must hold functions' names; \
             a value of type {type_name} is skipped"
        ));
    }
    names
}
