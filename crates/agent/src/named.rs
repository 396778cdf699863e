//! Names of templates in the profiles that are sent.
//!
//! PHP calls a compiled template's functions by a hash. Its name is in the compiled
//! file, which the agent's machine has and the server does not. So the agent writes the
//! names into the profile before it goes into a batch; a batch that exists keeps its
//! bytes.

use std::fs::File;
use std::io::{self, Read, Seek};

use profile::{Budget, native};

/// Larger profiles are sent as they are: reading one takes several times its size in
/// memory.
const LARGEST: u64 = 64 << 20;

/// The profile with its templates' names; none if it has none, or is sent as it is.
///
/// # Errors
///
/// Those of reading the file.
pub(crate) fn with_template_names(file: &mut File) -> io::Result<Option<Vec<u8>>> {
    if file.metadata()?.len() > LARGEST {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    file.rewind()?;
    if !templates::may_have_any(&bytes) {
        return Ok(None);
    }
    // What cannot be read is the server's to refuse.
    let budget = Budget::unlimited();
    let read = native::read_within(bytes.as_slice(), &native::Limits::default(), &budget);
    let Ok(mut profile) = read else {
        return Ok(None);
    };
    // Events have no names of templates, and their order is worth more.
    if budget.has_folded_events() || templates::name(&mut profile) == 0 {
        return Ok(None);
    }
    bytes.clear();
    native::write(&profile, &mut bytes)?;
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use profile::{Body, Event, EventKind, Events, Instant, Profile, Symbol, SymbolId};

    use super::*;

    const CLASS: &str = "__TwigTemplate_bd87debc0f8762111841c9ee60d71de0";

    fn spooled(folder: &Path, function: &str) -> File {
        let compiled = folder.join("bd87.php");
        let text = format!(
            "<?php\n\nclass {CLASS} extends Template\n{{\n    protected function doDisplay(array $context)\n    {{\n    \
             }}\n    public function getDebugInfo()\n    {{\n        return array (  5 => 3,);\n    }}\n    \
             public function getSourceContext()\n    {{\n        return new Source(\"\", \"a.html.twig\", \"\");\n    }}\n}}\n"
        );
        std::fs::write(&compiled, text).unwrap();
        let mut profile = Profile::empty();
        let mut symbol = Symbol::new(function.as_bytes());
        symbol.file = Some(compiled.to_str().unwrap().as_bytes().into());
        symbol.line = 5;
        profile.symbols.push(symbol);
        let path = folder.join("run.xhp");
        native::write(&profile, &mut File::create(&path).unwrap()).unwrap();
        File::open(path).unwrap()
    }

    #[test]
    fn a_template_has_its_name_and_other_profiles_stay_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = spooled(folder.path(), &format!("{CLASS}::doDisplay"));
        let named = with_template_names(&mut file).unwrap().unwrap();
        let profile = native::read(named.as_slice(), &native::Limits::default()).unwrap();
        assert_eq!(&*profile.symbols[1].name, b"twig::a.html.twig");
        // The file can still be sent from its beginning.
        let mut whole = Vec::new();
        file.read_to_end(&mut whole).unwrap();
        assert!(native::read(whole.as_slice(), &native::Limits::default()).is_ok());
        let mut other = spooled(folder.path(), "work");
        assert_eq!(with_template_names(&mut other).unwrap(), None);
    }

    #[test]
    fn more_events_than_are_kept_are_sent_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let file = spooled(folder.path(), &format!("{CLASS}::doDisplay"));
        let mut profile = native::read(file, &native::Limits::default()).unwrap();
        let at = Instant::default();
        let kinds = [EventKind::Enter(SymbolId(1)), EventKind::Leave];
        let calls = 0..native::Limits::default().events;
        let events = calls.flat_map(|_| kinds.map(|kind| Event { kind, at }));
        profile.body = Body::Events(Events {
            events: events.collect(),
            end: at,
        });
        let path = folder.path().join("events.xhp");
        native::write(&profile, &mut File::create(&path).unwrap()).unwrap();
        let named = with_template_names(&mut File::open(path).unwrap());
        assert!(named.unwrap().is_none());
    }

    #[test]
    fn a_damaged_file_is_sent_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.xhp");
        std::fs::write(&path, format!("{CLASS}::doDisplay")).unwrap();
        let mut file = File::open(path).unwrap();
        assert_eq!(with_template_names(&mut file).unwrap(), None);
    }
}
