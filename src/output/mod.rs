//! Writes profiles: as a PHP array, or as a file.

mod arrays;
mod destination;
mod encode;
mod events;
mod file;
mod ledger;
mod loaded;
mod name;
mod place;
mod program;
mod request_meta;
mod tags;

pub(crate) use arrays::return_array;
pub(crate) use events::{EventFile, FileOutcome, is_writing as is_writing_events};
pub(crate) use file::{Written, dump, write_file};
pub(crate) use ledger::Ledger;
pub(crate) use name::{choose_run_id, forget_run_id};
pub(crate) use place::{
    automatic_format, choose_place, choose_place_if_none, directory, forget_place,
    has_automatic_place_for_spans, has_place_for_spans,
};
pub(crate) use program::{Target, read_events};
pub(crate) use tags::{
    Annotations, Chosen, MAX_TAGS, OURS as OUR_TAGS, begin as begin_annotations,
    end as end_annotations, note_chosen,
};
pub(crate) use tags::{forget as forget_tags, tag};
