//! The file `xhprof.yaml`: scenarios and their budgets.
//!
//! `docs/check.schema.json` describes the same for editors; a test holds the two
//! together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use serde::Deserialize;

use super::mistakes;
use super::places::{PlacedBudget, Places};

/// The largest file that is read.
const LARGEST: u64 = 1 << 20;
/// Words by which a shell joins or redirects commands.
const OF_SHELLS: [&str; 9] = ["&&", "||", "|", ";", "&", ">", ">>", "<", "2>&1"];
/// How often a scenario may run.
const MOST_RUNS: u32 = 1000;

/// The whole file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    /// For every scenario.
    #[serde(default)]
    pub(super) budgets: Vec<String>,
    /// How many scenarios run at once.
    #[serde(default)]
    pub(super) parallel: Option<usize>,
    /// By how much runs may differ, as a share of the base: `10%`.
    #[serde(default)]
    pub(super) max_noise: Option<String>,
    #[serde(default)]
    pub(super) scenarios: Vec<ScenarioFile>,
}

/// A scenario in the file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScenarioFile {
    pub(super) name: String,
    #[serde(default)]
    pub(super) run: Option<Words>,
    #[serde(default)]
    pub(super) request: Option<Request>,
    #[serde(default)]
    pub(super) profiles: Option<OneOrMore>,
    #[serde(default)]
    pub(super) base: Option<OneOrMore>,
    #[serde(default)]
    pub(super) repeat: Option<u32>,
    #[serde(default)]
    pub(super) warm_up: Option<u32>,
    #[serde(default)]
    pub(super) set_up: Option<OneOrMore>,
    #[serde(default)]
    pub(super) tear_down: Option<OneOrMore>,
    #[serde(default)]
    pub(super) environment: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) directory: Option<PathBuf>,
    #[serde(default)]
    pub(super) timeout: Option<u64>,
    #[serde(default)]
    pub(super) budgets: Vec<String>,
}

/// A command: one line, as in a shell but without its features, or words.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum Words {
    Line(String),
    Words(Vec<String>),
}

/// One text, or a list.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    pub(super) fn list(&self) -> &[String] {
        match self {
            Self::One(text) => std::slice::from_ref(text),
            Self::More(list) => list,
        }
    }
}

/// A request to a running server.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    pub(super) url: String,
    #[serde(default)]
    pub(super) method: Option<String>,
    #[serde(default)]
    pub(super) headers: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) cookies: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) body: Option<String>,
    /// The name of `xhprof.trigger`: sent as a cookie.
    #[serde(default)]
    pub(super) trigger: Option<String>,
    /// The environment variable that has `xhprof.trigger_secret`.
    #[serde(default)]
    pub(super) secret_env: Option<String>,
    /// The server's `xhprof.output_dir`.
    pub(super) profiles: PathBuf,
    /// The status that is expected; by default any below 400.
    #[serde(default)]
    pub(super) status: Option<u16>,
}

/// A scenario that can be run.
#[derive(Debug)]
pub(super) struct Scenario {
    pub(super) name: String,
    pub(super) source: Source,
    pub(super) base: Vec<PathBuf>,
    pub(super) repeat: u32,
    pub(super) warm_up: u32,
    pub(super) set_up: Vec<String>,
    pub(super) tear_down: Vec<String>,
    pub(super) environment: BTreeMap<String, String>,
    pub(super) directory: Option<PathBuf>,
    pub(super) timeout: Duration,
    pub(super) budgets: Vec<PlacedBudget>,
}

/// Where a scenario's profiles come from.
#[derive(Debug)]
pub(super) enum Source {
    Run(Vec<String>),
    Request(Box<Request>),
    Profiles(Vec<PathBuf>),
}

/// What a file says.
#[derive(Debug)]
pub(super) struct Config {
    pub(super) scenarios: Vec<Scenario>,
    pub(super) parallel: usize,
    pub(super) max_noise: f64,
}

/// Reads the text of a file. Does not follow it if it is larger than a file of
/// budgets may be.
pub(super) fn read(path: &Path) -> Result<String> {
    let name = path.display();
    let size = std::fs::metadata(path).with_context(|| {
        format!("cannot read {name}; `xhprof check --init -- php script.php` writes a first one")
    })?;
    if size.len() > LARGEST {
        bail!("cannot read {name}: it is larger than {LARGEST} bytes, which no file of budgets is");
    }
    std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))
}

impl Config {
    /// Reads a file's text; `name` is for errors.
    pub(super) fn parse(text: &str, name: &str) -> Result<Self> {
        let file: File = yaml_serde::from_str(text)
            .map_err(|error| anyhow!(mistakes::of_yaml(&error, text, name)))?;
        if file.scenarios.is_empty() {
            bail!("{name}: it has no scenarios");
        }
        let max_noise = match &file.max_noise {
            None => DEFAULT_NOISE,
            Some(share) => noise(share).with_context(|| format!("{name}: max_noise"))?,
        };
        let mut places = Places::new(text, name);
        let common = places.budgets(&file.budgets)?;
        let mut names = std::collections::BTreeSet::new();
        let mut scenarios = Vec::new();
        for scenario in file.scenarios {
            if !names.insert(super::slug(&scenario.name)) {
                bail!(
                    "{name}: two scenarios are called \"{}\", or alike: only letters from a to z and digits distinguish them",
                    scenario.name
                );
            }
            let of_file = format!("{name}: scenario \"{}\"", scenario.name);
            let own = places.budgets(&scenario.budgets)?;
            scenarios
                .push(Scenario::new(scenario, &[&common[..], &own[..]].concat()).context(of_file)?);
        }
        Ok(Self {
            scenarios,
            parallel: file.parallel.unwrap_or(1).clamp(1, 64),
            max_noise,
        })
    }
}

/// The noise that is allowed unless the file says otherwise.
pub(super) const DEFAULT_NOISE: f64 = 0.1;

fn noise(text: &str) -> Result<f64> {
    let share = text
        .trim()
        .strip_suffix('%')
        .and_then(|number| number.trim().parse::<f64>().ok());
    match share {
        Some(share) if share > 0.0 && share <= 1000.0 => Ok(share / 100.0),
        _ => bail!("\"{text}\" is no share: write one such as 10%"),
    }
}

impl Scenario {
    fn new(file: ScenarioFile, budgets: &[PlacedBudget]) -> Result<Self> {
        if super::slug(&file.name).is_empty() {
            bail!("its name needs a letter from a to z, or a digit: artifacts are called by it");
        }
        let source = match (file.run, file.request, file.profiles) {
            (Some(run), None, None) => Source::Run(words(&run)?),
            (None, Some(request), None) => Source::Request(Box::new(request)),
            (None, None, Some(profiles)) => {
                if file.repeat.is_some() || file.warm_up.is_some() {
                    bail!(
                        "repeat and warm_up are for run and request: each of the profiles is a run"
                    );
                }
                Source::Profiles(found(profiles.list())?)
            }
            _ => bail!("it needs one of run, request and profiles"),
        };
        if budgets.is_empty() {
            bail!("it has no budgets");
        }
        let repeat = file.repeat.unwrap_or(1);
        if repeat == 0 || repeat > MOST_RUNS || file.warm_up.unwrap_or_default() > MOST_RUNS {
            bail!("repeat is from 1 to {MOST_RUNS}, warm_up from 0 to {MOST_RUNS}");
        }
        let list =
            |commands: Option<OneOrMore>| commands.map_or(Vec::new(), |list| list.list().to_vec());
        Ok(Self {
            name: file.name,
            source,
            base: match file.base {
                Some(base) => found(base.list())?,
                None => Vec::new(),
            },
            repeat,
            warm_up: file.warm_up.unwrap_or_default(),
            set_up: list(file.set_up),
            tear_down: list(file.tear_down),
            environment: file.environment,
            directory: file.directory,
            timeout: Duration::from_secs(file.timeout.unwrap_or(300).clamp(1, 86_400)),
            budgets: budgets.to_vec(),
        })
    }

    /// A scenario of the command line.
    pub(super) fn of_command_line(
        source: Source,
        base: Vec<PathBuf>,
        budgets: Vec<PlacedBudget>,
        repeat: u32,
    ) -> Self {
        Self {
            name: "command line".to_owned(),
            source,
            base,
            repeat,
            warm_up: 0,
            set_up: Vec::new(),
            tear_down: Vec::new(),
            environment: BTreeMap::new(),
            directory: None,
            timeout: Duration::from_secs(300),
            budgets,
        }
    }
}

fn words(run: &Words) -> Result<Vec<String>> {
    let words = match run {
        Words::Words(words) => words.clone(),
        Words::Line(line) => {
            let words = shlex::split(line)
                .with_context(|| format!("run: a quotation mark is not closed in {line}"))?;
            if let Some(word) = words.iter().find(|word| OF_SHELLS.contains(&word.as_str())) {
                bail!(
                    "run: no shell reads this line, so `{word}` would be an argument of the \
                     program; other commands belong into set_up and tear_down, and a list of words \
                     is used as it is"
                );
            }
            words
        }
    };
    if words.is_empty() {
        bail!("run: it is empty; write a command such as php script.php");
    }
    Ok(words)
}

/// The files of names with `*`; a name without stays as it is.
fn found(names: &[String]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for name in names {
        if !name.contains(['*', '?', '[']) {
            files.push(PathBuf::from(name));
            continue;
        }
        let before = files.len();
        for path in glob::glob(name).with_context(|| format!("{name} is no pattern of files"))? {
            files.push(path.with_context(|| format!("cannot read a directory of {name}"))?);
        }
        if files.len() == before {
            bail!("no file matches {name}");
        }
    }
    if files.is_empty() {
        bail!("its list of profiles is empty");
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        format!("{:#}", Config::parse(text, "xhprof.yaml").unwrap_err())
    }

    #[test]
    fn a_file_has_scenarios_with_budgets() {
        let text = "budgets: [no_call(\"var_dump\")]\nscenarios:\n  - name: front page\n    run: php 'a b.php'\n    repeat: 3\n    budgets:\n      - calls(\"PDO::*\") <= 12\n";
        let config = Config::parse(text, "x").unwrap();
        let scenario = &config.scenarios[0];
        assert!(matches!(&scenario.source, Source::Run(words) if words == &["php", "a b.php"]));
        assert_eq!(scenario.repeat, 3);
        let places: Vec<_> = scenario
            .budgets
            .iter()
            .map(|budget| (budget.line, budget.column))
            .collect();
        assert_eq!(places, [(1, 11), (7, 9)]);
    }

    #[test]
    fn errors_of_budgets_point_to_line_and_column() {
        let text = "scenarios:\n  - name: a\n    run: php a.php\n    budgets:\n      - calls(\"PDO::*\") 12\n";
        assert_eq!(
            error(text),
            "xhprof.yaml:5:25: expected a comparison: <=, <, >=, > or ==\n  calls(\"PDO::*\") 12\n                  ^"
        );
        let quoted = text.replace("calls(\"PDO::*\") 12", "'edges 12'");
        assert!(
            error(&quoted).starts_with("xhprof.yaml:5:16: "),
            "{}",
            error(&quoted)
        );
    }

    #[test]
    fn a_line_for_a_shell_is_refused() {
        for line in [
            "php a.php && php b.php",
            "php a.php 2>&1",
            "php a.php | grep x",
        ] {
            let text = format!("scenarios: [{{name: a, run: \"{line}\", budgets: [edges <= 1]}}]");
            assert!(
                error(&text).contains("no shell reads this line"),
                "{}",
                error(&text)
            );
        }
        let list = "scenarios: [{name: a, run: [php, a.php, '&&'], budgets: [edges <= 1]}]";
        assert!(Config::parse(list, "x").is_ok());
    }

    #[test]
    fn what_is_missing_or_unknown_is_named() {
        let scenario = |lines: &str| format!("scenarios:\n  - name: a\n{lines}");
        for (text, expected) in [
            ("scenarios: []".to_owned(), "it has no scenarios"),
            (
                scenario("    budgets: [edges <= 1]\n"),
                "one of run, request and profiles",
            ),
            (scenario("    run: php a.php\n"), "it has no budgets"),
            (
                scenario("    profiles: []\n    budgets: [edges <= 1]\n"),
                "list of profiles is empty",
            ),
            (
                scenario("    run: php 'a\n    budgets: [edges <= 1]\n"),
                "not closed",
            ),
            (
                scenario("    profiles: /nowhere/*.xhp\n    budgets: [edges <= 1]\n"),
                "no file matches /nowhere/*.xhp",
            ),
            (
                scenario("    run: php a.php\n    repeat: 0\n    budgets: [edges <= 1]\n"),
                "repeat is from 1",
            ),
            (scenario("    run: php a.php\n    repaet: 3\n"), "repaet"),
            (
                "max_noise: much\nscenarios: [{name: a, run: b, budgets: [edges <= 1]}]".to_owned(),
                "\"much\" is no share",
            ),
            (
                "scenarios: [{name: 日本, run: b, budgets: [edges <= 1]}]".to_owned(),
                "needs a letter from a to z",
            ),
            (
                "scenarios: [{name: a b, run: b, budgets: &e [edges <= 1]}, {name: a/B, run: b, budgets: *e}]"
                    .to_owned(),
                "\"a/B\", or alike",
            ),
        ] {
            assert!(
                error(&text).contains(expected),
                "{expected}: {}",
                error(&text)
            );
        }
    }
}
