//! What a server remembers of cells and runs is never older than what others did, but for questions
//! that belong together.

use store::{Runs, Selection, Store, Sums};

use super::{Server, answers, run};

#[test]
fn a_server_that_remembers_cells_sees_what_another_one_does() {
    let Some(server) = Server::named() else {
        return;
    };
    let open = server.opener();
    let (writer, reader) = (open(), open());
    let mut ids = Vec::new();
    let mut is_there = Vec::new();
    for number in 0..24 {
        // Three runs of each hour.
        let new = run(number / 3 * 40 + number % 3 * 3);
        ids.push(writer.put(new).unwrap().id);
        is_there.push(true);
        if number % 4 == 1 {
            writer.fold().unwrap();
        }
        if number % 5 == 4 {
            // One that is in the sums, and was seen there.
            let place = usize::try_from(number).unwrap() / 2;
            assert_eq!(writer.delete(&[ids[place]]).unwrap(), [ids[place]]);
            is_there[place] = false;
        }
        if number % 11 == 10 {
            // The reader's own sums of the same hours.
            reader.fold().unwrap();
        }
        let runs = is_there.iter().filter(|is_there| **is_there).count();
        let seen = |store: &dyn Store| store.requests(&Selection::default()).unwrap().unwrap().runs;
        assert_eq!(seen(&reader), runs as u64, "after {number}");
        // Twice: the second time all of it is remembered.
        assert_eq!(seen(&reader), runs as u64, "again after {number}");
        if number % 6 == 5 {
            let expected = answers(&open());
            for (one, other) in expected.iter().zip(answers(&reader)) {
                assert_eq!(*one, other, "after {number}");
            }
        }
    }
    // A deleted run that is stored again.
    let place = is_there.iter().position(|is_there| !is_there).unwrap();
    let number = u64::try_from(place).unwrap();
    let before = reader.stats().unwrap().runs;
    let again = writer.put(run(number / 3 * 40 + number % 3 * 3)).unwrap();
    assert_eq!((again.id, again.is_new), (ids[place], true));
    for is_folded in [false, true] {
        if is_folded {
            writer.fold().unwrap();
        }
        let requests = reader.requests(&Selection::default()).unwrap().unwrap();
        assert_eq!(requests.runs, before + 1, "folded: {is_folded}");
        assert!(reader.run(&again.id).unwrap().is_some());
    }
    assert_eq!(writer.verify().unwrap().problems, []);
}

#[test]
fn questions_that_belong_together_look_for_sums_once() {
    let Some(server) = Server::named() else {
        return;
    };
    let open = server.opener();
    let (one, other) = (open(), open());
    let requests = |store: &dyn Store| {
        let found = store.requests(&Selection::default()).unwrap();
        found.map(|row| row.runs)
    };
    one.put(run(1)).unwrap();
    let together = one.query_session().unwrap();
    assert_eq!(requests(&*together), Some(1));
    other.put(run(2)).unwrap();
    assert_eq!(requests(&*together), Some(1));
    assert_eq!(requests(&one), Some(2));
}
