//! The written messages of `profiles.proto`, release 1.11.

use prost::Message;

/// The field numbers of the large messages, which are written in parts.
pub(super) mod field {
    pub(crate) const RESOURCE_PROFILES: u32 = 1;
    pub(crate) const DICTIONARY: u32 = 2;

    pub(crate) const RESOURCE: u32 = 1;
    pub(crate) const SCOPE_PROFILES: u32 = 2;

    pub(crate) const SCOPE: u32 = 1;
    pub(crate) const PROFILES: u32 = 2;

    pub(crate) const SAMPLE_TYPE: u32 = 1;
    pub(crate) const SAMPLES: u32 = 2;
    pub(crate) const TIME_UNIX_NANO: u32 = 3;
    pub(crate) const DURATION_NANO: u32 = 4;
    pub(crate) const PERIOD_TYPE: u32 = 5;
    pub(crate) const PERIOD: u32 = 6;
    pub(crate) const PROFILE_ID: u32 = 7;

    pub(crate) const MAPPING_TABLE: u32 = 1;
    pub(crate) const LOCATION_TABLE: u32 = 2;
    pub(crate) const FUNCTION_TABLE: u32 = 3;
    pub(crate) const LINK_TABLE: u32 = 4;
    pub(crate) const STRING_TABLE: u32 = 5;
    pub(crate) const ATTRIBUTE_TABLE: u32 = 6;
    pub(crate) const STACK_TABLE: u32 = 7;
}

/// The type of the values. Both fields are indexes of strings.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(super) struct ValueType {
    #[prost(int32, tag = "1")]
    pub(super) type_strindex: i32,
    #[prost(int32, tag = "2")]
    pub(super) unit_strindex: i32,
}

/// A stack by its index, and its cost.
#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct Sample {
    #[prost(uint32, tag = "1")]
    pub(super) stack_index: u32,
    #[prost(int32, tag = "3")]
    pub(super) link_index: i32,
    #[prost(int64, repeated, tag = "4")]
    pub(super) values: Vec<i64>,
}

/// A stack, the innermost location first.
#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct Stack {
    #[prost(int32, repeated, tag = "1")]
    pub(super) location_indices: Vec<i32>,
}

/// The binary that was running.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(super) struct Mapping {
    #[prost(int32, tag = "4")]
    pub(super) filename_strindex: i32,
}

/// A place in the program.
#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct Location {
    #[prost(int32, tag = "1")]
    pub(super) mapping_index: i32,
    #[prost(message, repeated, tag = "3")]
    pub(super) lines: Vec<Line>,
}

/// A line of a function.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(super) struct Line {
    #[prost(int32, tag = "1")]
    pub(super) function_index: i32,
    #[prost(int64, tag = "2")]
    pub(super) line: i64,
}

/// A function. Names are strings by their number.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(super) struct Function {
    #[prost(int32, tag = "1")]
    pub(super) name_strindex: i32,
    #[prost(int32, tag = "3")]
    pub(super) filename_strindex: i32,
    #[prost(int64, tag = "4")]
    pub(super) start_line: i64,
}

/// A trace and a span in it.
#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct Link {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub(super) span_id: Vec<u8>,
}

/// The process that was profiled.
#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct Resource {
    #[prost(message, repeated, tag = "1")]
    pub(super) attributes: Vec<KeyValue>,
}

/// An attribute.
#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct KeyValue {
    #[prost(string, tag = "1")]
    pub(super) key: String,
    #[prost(message, optional, tag = "2")]
    pub(super) value: Option<AnyValue>,
}

/// Its value. Other types are possible, but this crate writes text.
#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct AnyValue {
    #[prost(string, tag = "1")]
    pub(super) string_value: String,
}

/// The profiler.
#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct InstrumentationScope {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(string, tag = "2")]
    pub(super) version: String,
}
