//! What PHP code calls: `xhprof_enable()` and its relatives.
//!
//! `xhprof.stub.php` documents them for people; a test holds the two together.

use ext_php_rs::args::Arg;
use ext_php_rs::builders::{FunctionBuilder, ModuleBuilder};
use ext_php_rs::flags::DataType;
use ext_php_rs::types::{ZendHashTable, Zval};
use ext_php_rs::zend::ExecuteData;
use recorder::Shape;
use std::collections::HashSet;

use crate::settings::{self, Flags};
use crate::symbols::Wishes;
use crate::zend::{array, parameters};
use crate::{autostart, output, session, zend};

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
    let tag = FunctionBuilder::new("xhprof_tag", xhprof_tag)
        .arg(Arg::new("key", DataType::String))
        .arg(Arg::new("value", DataType::String))
        .returns(DataType::Bool, false, false);
    module
        .function(tag)
        .function(enable)
        .function(disable)
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
    // Silent if it runs already: the first flags and the first list stay.
    if session::is_running() {
        return;
    }
    let ignored = options.map(ignored_functions).unwrap_or_default();
    session::start_tracing(Shape::Edges, Flags::from_bits(flags), wishes(ignored));
}

extern "C" fn xhprof_sample_enable(call: &mut ExecuteData, _result: &mut Zval) {
    if parameters::nothing(call) {
        session::start_sampling();
    }
}

/// Ends either mode, whichever of the two functions is called.
extern "C" fn xhprof_disable(call: &mut ExecuteData, result: &mut Zval) {
    if parameters::nothing(call)
        && let Some(recorded) = session::stop()
    {
        autostart::session_ended(&recorded);
        output::return_array(&recorded, result);
    }
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

/// What to name in a profile with this ignore list.
pub(crate) fn wishes(ignored: HashSet<Box<[u8]>>) -> Wishes {
    Wishes {
        ignored,
        run_init: settings::run_init(),
        details: settings::collect_additional_info(),
        closures: settings::closure_names(),
        places: false,
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
    let mut names = HashSet::new();
    for value in array::values(list) {
        match value.as_bytes() {
            Some(name) => {
                names.insert(name.into());
            }
            None => {
                zend::warning(&format!(
                    "option \"ignored_functions\" must hold functions' names; \
                     a value of type {} is skipped",
                    value.type_name()
                ));
            }
        }
    }
    names
}
