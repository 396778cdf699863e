//! The protobuf that Pyroscope's clients push since 2025: profiles as pprof, with labels.
//!
//! **Invariant:** what is repeated is counted before it is decoded.

use std::io::Read;

use prost::Message;
use prost::bytes::Bytes;

use crate::metadata::Metadata;
use crate::reading::MAX_UNPACKED;
use crate::refused::Refused;

/// The most profiles of one push.
const MAX_PROFILES: usize = 100;

/// The most labels of a series.
const MAX_LABELS: usize = 1000;

/// The largest push, unpacked. Its profiles are packed themselves.
const MAX_PUSH: u64 = 128 << 20;
const _: () = assert!(MAX_PUSH <= MAX_UNPACKED);

/// `push.v1.PushRequest`, as far as it is used. Its series are not decoded yet, nor are their
/// parts: an empty one of two bytes would take a hundred.
#[derive(Clone, PartialEq, Message)]
struct PushRequest {
    #[prost(bytes = "bytes", repeated, tag = "1")]
    series: Vec<Bytes>,
}

/// Profiles with the same labels.
#[derive(Clone, PartialEq, Message)]
struct Series {
    #[prost(bytes = "bytes", repeated, tag = "1")]
    labels: Vec<Bytes>,
    #[prost(bytes = "bytes", repeated, tag = "2")]
    samples: Vec<Bytes>,
}

#[derive(Clone, PartialEq, Message)]
struct Label {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    value: String,
}

/// One profile.
#[derive(Clone, PartialEq, Message)]
struct Sample {
    #[prost(bytes = "bytes", tag = "1")]
    raw_profile: Bytes,
}

/// Calls `each` with the profiles of a push.
pub(crate) fn profiles(
    body: Vec<u8>,
    encoding: Option<&str>,
    each: &mut dyn FnMut(Metadata, Bytes) -> Result<(), Refused>,
) -> Result<(), Refused> {
    let body = unpacked(body, encoding).map_err(Refused::invalid)?;
    let broken =
        |error: prost::DecodeError| Refused::invalid(format!("no push of Pyroscope: {error}"));
    let request = PushRequest::decode(body).map_err(broken)?;
    let too_many = || Refused::bad(format!("a push has at most {MAX_PROFILES} profiles"));
    if request.series.len() > MAX_PROFILES {
        return Err(too_many());
    }
    let series = request.series.into_iter().map(Series::decode);
    let series: Vec<Series> = series.collect::<Result<_, _>>().map_err(broken)?;
    let count: usize = series.iter().map(|one| one.samples.len()).sum();
    if count > MAX_PROFILES {
        return Err(too_many());
    }
    for one in series {
        if one.labels.len() > MAX_LABELS {
            return Err(Refused::bad(format!(
                "a series has at most {MAX_LABELS} labels"
            )));
        }
        let labels = one.labels.into_iter().map(Label::decode);
        let labels: Vec<Label> = labels.collect::<Result<_, _>>().map_err(broken)?;
        let metadata = label_metadata(labels);
        for sample in one.samples {
            let sample = Sample::decode(sample).map_err(broken)?;
            each(metadata.clone(), sample.raw_profile)?;
        }
    }
    Ok(())
}

fn unpacked(body: Vec<u8>, encoding: Option<&str>) -> Result<Bytes, String> {
    match encoding {
        None | Some("identity") => Ok(body.into()),
        Some("gzip") => {
            let mut unpacked = Vec::new();
            let decoder = flate2::read::GzDecoder::new(&body[..]);
            let outcome = decoder.take(MAX_PUSH + 1).read_to_end(&mut unpacked);
            outcome.map_err(|error| format!("not gzip: {error}"))?;
            if unpacked.len() as u64 > MAX_PUSH {
                return Err(format!("a push has at most {} MiB", MAX_PUSH >> 20));
            }
            Ok(unpacked.into())
        }
        Some(other) => Err(format!("the encoding {other} is not known; use gzip")),
    }
}

fn label_metadata(labels: Vec<Label>) -> Metadata {
    let mut metadata = Metadata::default();
    for Label { name, value } in labels {
        match name.as_str() {
            "service_name" => metadata.tags.push(("app".to_owned(), value)),
            "host" | "hostname" => metadata.host = Some(value),
            // `__name__` and others of Pyroscope itself; the profile has its type.
            "" | "app" => {}
            name if name.starts_with("__") => {}
            _ => metadata.tags.push((name, value)),
        }
    }
    metadata
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_a_push_are_tags() {
        let label = |name: &str, value: &str| Label {
            name: name.to_owned(),
            value: value.to_owned(),
        };
        let metadata = label_metadata(vec![
            label("__name__", "process_cpu"),
            label("service_name", "shop"),
            label("hostname", "web1"),
            label("release", "7"),
        ]);
        assert_eq!(metadata.host.as_deref(), Some("web1"));
        let tags = [("app", "shop"), ("release", "7")];
        assert_eq!(
            metadata.tags,
            tags.map(|(a, b)| (a.to_owned(), b.to_owned()))
        );
    }

    #[test]
    fn a_push_of_many_empty_parts_is_refused_before_they_are_decoded() {
        let push = |series: Vec<Vec<u8>>| {
            let series = series.into_iter().map(Bytes::from).collect();
            let bytes = PushRequest { series }.encode_to_vec();
            profiles(bytes, None, &mut |_, _| Ok(()))
        };
        assert_eq!(push(vec![Vec::new(); 100]), Ok(()));
        assert_eq!(push(vec![Vec::new(); 101]).unwrap_err().status, 400);
        let samples = |count| Series {
            labels: Vec::new(),
            samples: vec![Bytes::new(); count],
        };
        assert_eq!(push(vec![samples(50).encode_to_vec(); 2]), Ok(()));
        assert_eq!(
            push(vec![samples(51).encode_to_vec(); 2])
                .unwrap_err()
                .status,
            400
        );
        let labels = Series {
            labels: vec![Bytes::new(); 1001],
            samples: Vec::new(),
        };
        assert_eq!(push(vec![labels.encode_to_vec()]).unwrap_err().status, 400);
        assert_eq!(push(vec![b"\xff".to_vec()]).unwrap_err().status, 422);
    }
}
