//! A copy with another title is the same profile, wherever the file ends.

use profile::native::{Error, copy_titled};
use profile::{Body, Profile};

use super::examples::examples;
use super::{read, written};

fn copied(bytes: &[u8], title: Option<&str>) -> std::io::Result<Vec<u8>> {
    let mut copy = Vec::new();
    copy_titled(bytes, title, &mut copy)?;
    Ok(copy)
}

#[test]
fn only_the_title_of_a_copy_is_another() {
    for (name, profile) in examples() {
        let bytes = written(&profile);
        assert_eq!(copied(&bytes, None).unwrap(), bytes, "{name}");
        let mut expected = profile;
        expected.meta.title = Some("php a.php --b".to_owned());
        let copy = copied(&bytes, Some("php a.php --b")).unwrap();
        assert_eq!(read(&copy).unwrap(), expected, "{name}");
    }
}

#[test]
fn a_copy_of_the_beginning_ends_early_too() {
    let is_of_events = |profile: &Profile| matches!(profile.body, Body::Events(_));
    let mut all = examples().into_iter().map(|(_, profile)| profile);
    let bytes = written(&all.find(is_of_events).unwrap());
    let mut read_early = 0;
    // 10: magic number and version.
    for length in 10..bytes.len() {
        let cut = &bytes[..length];
        let copy = copied(cut, Some("other")).unwrap();
        match (read(cut), read(&copy)) {
            (Ok(expected), Ok(found)) => {
                assert_eq!(found, expected, "{length}");
                read_early += 1;
            }
            (Err(Error::Truncated { .. }), Err(Error::Truncated { .. })) => {}
            (expected, found) => panic!("{length}: {expected:?}, {found:?}"),
        }
    }
    assert!(read_early > 0);
}

#[test]
fn a_damaged_file_is_not_copied() {
    let mut bytes = written(&Profile::empty());
    bytes.push(0);
    let error = copied(&bytes, None).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidData);
    bytes.pop();
    // In the first payload.
    bytes[15] ^= 1;
    assert!(copied(&bytes, None).is_err());
    assert!(copied(b"a:0:{}", None).is_err());
}
