//! Additional info: the SQL statement, URL or command of a call, for the few
//! functions that have one.
//!
//! It becomes part of the call's name (`PDO::query#SELECT …`), or a span. Both
//! are without literals. **Invariant:** calls into the engine are made while no
//! reference to the state is held, and are not recorded.

use std::hash::{DefaultHasher, Hash, Hasher};

use recorder::{Reading, SymbolId};
use redact::Dialect;

use crate::engine::state::{State, with_state};
use crate::naming::{MAX_TEXT_LENGTH, Prepared, SpanId, SpanLog, Symbols};
use crate::zend::{self, Call, Value};
use policy::naming::details::{self, Argument, Detail, Name, Rows, Text};
use policy::naming::redaction::{MAX_READ, redacted};

/// A call with a detail, inspected before it runs. Plain data: a `longjmp` may
/// skip it.
#[derive(Clone, Copy)]
pub(in crate::engine) struct DetailedCall {
    /// The symbol of this call, with its detail if that is part of the name.
    pub(in crate::engine) symbol: SymbolId,
    detail: Option<Detail>,
    dialect: Dialect,
    span: Option<(u32, SpanId)>,
}

/// Inspects a call of the function with the symbol `plain`, and begins its span.
#[cold]
#[inline(never)]
pub(in crate::engine) fn inspect(call: Call<'_>, plain: SymbolId) -> DetailedCall {
    let detail = with_symbols(|symbols| symbols.detail_of(plain)).flatten();
    let mut known = DetailedCall {
        symbol: plain,
        detail,
        dialect: Dialect::Unknown,
        span: None,
    };
    let argument = |argument: Argument| bytes_of(call, argument);
    if let Some(
        Detail::Prepares { statement: at, .. }
        | Detail::Waits {
            text: Text::Statement(at),
            ..
        },
    ) = detail
    {
        known.dialect = dialect_of(plain, call, argument(at));
    }
    let Some(Detail::Waits { text, .. }) = detail else {
        return known;
    };
    match text {
        Text::Statement(at) => with_text(known, argument(at)),
        Text::QueryString => {
            let text = call
                .object()
                .and_then(|object| zend::string_property(object, "queryString"));
            let name = prepared_name(call, Name::This, None);
            let prepared =
                with_symbols(|symbols| symbols.prepared.text(&name?, fingerprint(text?))).flatten();
            match prepared {
                Some(prepared) => with_clean_text(known, Some(&prepared)),
                None => with_text(known, text),
            }
        }
        Text::Prepared(name) => {
            let name = prepared_name(call, name, None);
            let prepared = with_symbols(|symbols| symbols.prepared.text(&name?, 0)).flatten();
            with_clean_text(known, prepared.as_deref())
        }
        Text::Handle => {
            let Some(handle) = call.argument(0) else {
                return known;
            };
            let asked =
                unrecorded(|| zend::curl_address(handle, |address| with_text(known, address)));
            asked.unwrap_or(known)
        }
        Text::Url(at) => match argument(at) {
            Some(url) if details::kind_of_url(url).is_some() => with_text(known, Some(url)),
            // A local file or an invalid path: no span.
            _ => DetailedCall {
                detail: None,
                ..known
            },
        },
        Text::CommandIn(at) => {
            let command = argument(at).and_then(details::command);
            with_text(known, command.as_deref())
        }
        Text::Command | Text::Unknown => with_text(known, None),
    }
}

/// Notes the entry of the call, which is on top of the recorder's stack.
pub(in crate::engine) fn entered(known: DetailedCall) {
    with_span(known, |state, id| {
        let recorder = &state.active.recorder;
        let (at, caller) = (recorder.entered(), recorder.caller());
        state
            .active
            .with_spans(|spans| spans.entered(id, at, caller));
    });
}

/// Drops the span of a call that is not recorded because of a limit.
pub(in crate::engine) fn dropped(known: DetailedCall) {
    with_span(known, |state, id| {
        state.active.with_spans(|spans| spans.forget(id));
    });
}

/// Ends the call's span at `now`; none if no clock was read.
#[cold]
#[inline(never)]
pub(in crate::engine) fn left(
    known: DetailedCall,
    call: Call<'_>,
    result: Option<Value<'_>>,
    now: Option<Reading>,
) {
    match known.detail {
        Some(Detail::Waits { rows, .. }) => {
            let Some((session, id)) = known.span else {
                return;
            };
            let rows = unrecorded(|| rows_of(rows, call, result));
            with_state(|state| {
                if state.active.session != session {
                    return;
                }
                // In a paused profile, the call ends when the pause began.
                let at = state.active.recorder.moment(now.unwrap_or_default());
                state.active.with_spans(|spans| spans.end(id, at, rows));
            });
        }
        Some(Detail::Prepares { statement, name }) => {
            let name = prepared_name(call, name, result);
            let text = bytes_of(call, statement);
            if let (Some(name), Some(text)) = (name, text) {
                with_symbols(|symbols| {
                    let is_pdo = details::dialect(&symbols.name(known.symbol)).is_none();
                    // Not remembered: `PDOStatement::execute` finds the same text
                    // in `queryString`.
                    if is_pdo && known.dialect == Dialect::Unknown {
                        return;
                    }
                    let fingerprint = if is_pdo { fingerprint(text) } else { 0 };
                    let text = clean(symbols, known, text);
                    symbols.prepared.add(name, fingerprint, text.into());
                });
            }
        }
        None => {}
    }
}

/// Ends all open spans: after a fatal error or at the end of the profile, none of
/// their calls returns.
pub(crate) fn end_all(state: &mut State) {
    if state.active.with_spans(|spans| spans.has_open()) == Some(true) {
        let now = state.active.cold().read();
        let at = state.active.recorder.moment(now);
        state.active.with_spans(|spans| spans.end_all(at));
    }
}

fn with_span(known: DetailedCall, act: impl FnOnce(&mut State, SpanId)) {
    if let Some((session, id)) = known.span {
        with_state(|state| {
            if state.active.session == session {
                act(state, id);
            }
        });
    }
}

fn with_symbols<R>(act: impl FnOnce(&mut Symbols) -> R) -> Option<R> {
    with_state(|state| state.active.symbols_mut().map(act))
}

/// Runs `ask`, which calls PHP functions, without recording those calls.
fn unrecorded<R>(ask: impl FnOnce() -> R) -> R {
    with_state(|state| {
        state.is_asking = true;
        state.choose_hooks();
    });
    let answer = ask();
    with_state(stop_asking);
    answer
}

/// Restores the hooks that [`unrecorded`] replaced. Also called at a fatal error,
/// whose bailout skips the end of `unrecorded` (the result exceeded the memory
/// limit).
pub(in crate::engine) fn stop_asking(state: &mut State) {
    if std::mem::take(&mut state.is_asking) {
        state.choose_hooks();
    }
}

fn bytes_of<'a>(call: Call<'a>, argument: Argument) -> Option<&'a [u8]> {
    let index = argument.index(call.argument_count())?;
    call.argument(index).and_then(Value::as_bytes)
}

fn prepared_name(call: Call<'_>, name: Name, result: Option<Value<'_>>) -> Option<Prepared> {
    let object = match name {
        Name::This => call.object(),
        Name::Object(argument) => {
            let index = argument.index(call.argument_count())?;
            call.argument(index)
        }
        Name::Result => result,
        Name::Text { connection, name } => {
            let connection = connection
                .index(call.argument_count())
                .and_then(|index| call.argument(index))
                .and_then(zend::object_number);
            return bytes_of(call, name).map(|text| Prepared::Name(connection, text.into()));
        }
    };
    zend::object_number(object?).map(Prepared::Object)
}

fn rows_of(rows: Rows, call: Call<'_>, result: Option<Value<'_>>) -> Option<u64> {
    let result = result.filter(|result| !result.is_false())?;
    if zend::is_throwing() {
        return None;
    }
    // The object of a method, or of a function the first argument.
    let object = || call.object().or_else(|| call.argument(0));
    match rows {
        Rows::Unknown => None,
        Rows::Returned => result.as_count(),
        Rows::Pdo => {
            let statement = if result.is_object() {
                Some(result)
            } else {
                call.object()
            };
            zend::pdo_rows(statement?)
        }
        Rows::Mysqli => zend::rows_by_function("mysqli_affected_rows", object()?),
        Rows::MysqliStatement => zend::rows_by_function("mysqli_stmt_affected_rows", object()?),
        Rows::PgResult => zend::rows_by_function("pg_affected_rows", result),
    }
}

/// The SQL dialect of a call's statement. PDO's driver is asked before the call,
/// and only if dialects read this statement differently.
fn dialect_of(plain: SymbolId, call: Call<'_>, text: Option<&[u8]>) -> Dialect {
    let known = with_symbols(|symbols| details::dialect(&symbols.name(plain))).flatten();
    let read = text.map(|text| text.get(..MAX_READ).unwrap_or(text));
    match (known, read, call.object()) {
        (Some(dialect), _, _) => dialect,
        (None, Some(text), Some(connection)) if redact::depends_on_dialect(text) => {
            let driver = || zend::pdo_driver(connection, details::dialect_of_driver);
            unrecorded(driver).unwrap_or(Dialect::Unknown)
        }
        _ => Dialect::Unknown,
    }
}

/// A hash of a statement's text, to check that a reused object number still
/// stands for the statement it was prepared with.
fn fingerprint(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.get(..MAX_READ).unwrap_or(text).hash(&mut hasher);
    text.len().hash(&mut hasher);
    hasher.finish()
}

fn with_text(known: DetailedCall, text: Option<&[u8]>) -> DetailedCall {
    let text = text.and_then(|text| with_symbols(|symbols| clean(symbols, known, text)));
    with_clean_text(known, text.as_deref())
}

/// Removes literals, URL queries and passwords from the text of a call.
fn clean(symbols: &Symbols, known: DetailedCall, text: &[u8]) -> Vec<u8> {
    redacted(known.detail, known.dialect, symbols.spans().is_some(), text)
}

/// Begins a span, or adds the text to the call's name. `text` is redacted.
fn with_clean_text(known: DetailedCall, text: Option<&[u8]>) -> DetailedCall {
    with_state(|state| begin(state, known, text)).unwrap_or(known)
}

fn begin(state: &mut State, known: DetailedCall, text: Option<&[u8]>) -> Option<DetailedCall> {
    let plain = known.symbol;
    let Some(Detail::Waits {
        kind, text: source, ..
    }) = known.detail
    else {
        return None;
    };
    let session = state.active.session;
    if !state.active.has_spans() {
        let symbol = match text {
            Some(text) => state
                .active
                .naming(|symbols, add_symbol| symbols.detailed(plain, text, add_symbol))?,
            None => plain,
        };
        return Some(DetailedCall {
            symbol,
            detail: None,
            ..known
        });
    }
    let kind = match (source, text) {
        (Text::Handle, Some(url)) => details::kind_of_curl(url),
        (Text::Url(_), Some(url)) => details::kind_of_url(url).unwrap_or(kind),
        _ => kind,
    };
    let mut text = match (source, text) {
        (Text::Command, _) => Some(details::command_of(&state.active.symbols()?.name(plain))),
        (Text::Handle, Some(url)) if details::is_local(url) => None,
        (_, text) => text.map(<[u8]>::to_vec),
    };
    if let Some(text) = &mut text {
        redact::shorten_to(text, MAX_TEXT_LENGTH);
    }
    let begin = |spans: &mut SpanLog| spans.begin(kind, plain, text.as_deref());
    let id = state.active.with_spans(begin).flatten();
    Some(DetailedCall {
        span: id.map(|id| (session, id)),
        ..known
    })
}
