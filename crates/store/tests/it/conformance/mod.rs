//! The suite that every implementation of [`Store`] passes.
//!
//! Call [`check`] from a test of the implementation, with a function that makes
//! an empty store, or [`check_in_parallel`] with several.

#![expect(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a suite of tests"
)]

mod batches;
mod dropped;
mod questions;
mod removal;
mod runs;
mod sums;
mod tokens;

use std::sync::atomic::{AtomicUsize, Ordering};

use profile::{Body, Meta, Profile, Spans};

use simulate::{RunAt, SmallShop};
use store::{NewRun, RunId, RunQuery, Selection, Store};

const HOUR: u64 = 3_600_000_000;
/// The beginning of a day: 1 November 2026.
const DAY: u64 = 1_793_491_200_000_000;

/// Runs every check, each on an empty store.
///
/// # Panics
///
/// If the store does not keep the contract.
pub(crate) fn check<S: Store>(empty: impl Fn() -> S) {
    for check in checks() {
        check(&empty());
    }
}

/// Runs every check, several at a time: as many as there are functions that make an
/// empty store. A function makes the next one after the check of the last.
///
/// # Panics
///
/// If the store does not keep the contract.
pub(crate) fn check_in_parallel<S: Store>(empty: &[impl Fn() -> S + Sync]) {
    let checks = checks();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for empty in empty {
            scope.spawn(|| {
                while let Some(check) = checks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(&empty());
                }
            });
        }
    });
}

fn checks() -> Vec<fn(&dyn Store)> {
    vec![
        runs::a_run_is_stored_once,
        runs::a_run_without_a_start_is_stored_once_and_has_the_time_of_arrival,
        runs::a_run_comes_back_as_it_was,
        batches::each_run_of_a_batch_is_stored_once_and_has_its_own_outcome,
        batches::a_batch_is_what_its_runs_are_one_by_one,
        batches::of_batches_at_once_each_run_is_new_in_one,
        batches::a_batch_brings_back_deleted_runs_and_not_those_that_a_policy_removed,
        runs::lists_are_filtered_sorted_and_paged,
        runs::lists_are_sorted_by_any_text,
        runs::invalid_questions_are_refused,
        sums::sums_of_hours_are_those_of_the_runs,
        sums::routes_have_shares_and_quantiles,
        sums::rates_are_weighted,
        questions::a_trend_shows_releases,
        questions::a_series_has_the_sums_of_its_runs,
        questions::the_whole_is_told_with_its_routes,
        questions::facets_count_the_runs,
        questions::hours_are_those_of_one_route_around_a_release,
        questions::hours_count_runs_as_they_are,
        questions::days_are_those_of_the_trends,
        questions::functions_have_callers_and_routes,
        questions::a_function_is_as_the_tree_has_it,
        questions::a_difference_finds_what_changed,
        questions::questions_that_belong_together_have_the_same_answers,
        sums::spans_are_added_up,
        removal::deleted_runs_leave_the_sums,
        removal::the_policy_keeps_what_matters,
        removal::a_label_protects_a_run,
        removal::policies_are_kept_and_the_applications_without_one_have_the_default,
        removal::what_was_sent_is_remembered,
        dropped::counters_of_agents_count_once,
        tokens::tokens_are_kept_until_they_are_removed,
        tokens::sessions_end_with_their_token_and_in_time,
        tokens::what_was_taken_of_an_application_is_counted_by_day,
        tokens::quotas_are_kept,
        removal::the_store_says_what_policies_removed_and_why,
        sums::other_kinds_of_profiles_are_kept_apart,
        runs::limits_of_texts_hold,
    ]
}

fn shop() -> SmallShop {
    SmallShop {
        paths: 60,
        releases: vec!["1".to_owned(), "2".to_owned()],
        slower: Some((1, 1, 30.0)),
        ..SmallShop::default()
    }
}

fn at(number: u64) -> RunAt {
    RunAt {
        number,
        route: u32::try_from(number % 3).unwrap(),
        release: usize::from(number >= 60),
        started_us: DAY + number * HOUR / 2,
    }
}

/// The first `count` runs of the shop, put into the store.
fn filled(store: &dyn Store, count: u64) -> Vec<(RunId, Profile)> {
    (0..count)
        .map(|number| {
            let profile = shop().run(at(number));
            (put(store, profile.clone()), profile)
        })
        .collect()
}

fn put(store: &dyn Store, profile: Profile) -> RunId {
    let stored = store.put(NewRun {
        profile,
        received: DAY,
    });
    stored.unwrap().id
}

fn everything() -> Selection {
    Selection::default()
}

fn route(name: &str) -> Selection {
    Selection {
        routes: vec![name.to_owned()],
        ..Selection::default()
    }
}

fn query(selection: Selection) -> RunQuery {
    RunQuery {
        selection,
        limit: 1000,
        ..RunQuery::default()
    }
}

fn ids(store: &dyn Store, query: &RunQuery) -> Vec<RunId> {
    let runs = store.runs(query).unwrap().runs;
    runs.iter().map(|run| run.id).collect()
}

/// Only the calls, in one order.
fn canonical(profile: &Profile) -> (Vec<Vec<u8>>, Body) {
    let plain = Profile {
        meta: Meta::default(),
        spans: Spans::default(),
        symbols: profile
            .symbols
            .iter()
            .map(|symbol| profile::Symbol {
                file: None,
                line: 0,
                ..symbol.clone()
            })
            .collect(),
        ..profile.clone()
    };
    let plain = plain.canonical();
    let names = plain.symbols.iter().map(|symbol| symbol.name.to_vec());
    (names.collect(), plain.body)
}
