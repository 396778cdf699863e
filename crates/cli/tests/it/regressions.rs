//! `xhprof regressions` on files of the simulated shop.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

use simulate::{Options, Shop};

use crate::mcp_client::Client;

/// The routes whose runs are written.
const ROUTES: [&str; 2] = ["/product/{id}", "/category/{slug}"];

/// Twenty days of the shop: up to the first day of the release with the N+1.
fn write_shop(directory: &Path) -> Shop {
    let shop = Shop::new(Options {
        runs: 12_000,
        days: 21,
        ..Options::default()
    });
    let runs = shop.runs().enumerate();
    for (number, run) in runs.filter(|(_, run)| ROUTES.contains(&run.meta.tag("route").unwrap())) {
        let mut bytes = Vec::new();
        profile::native::write(&run, &mut bytes).unwrap();
        std::fs::write(directory.join(format!("{number:06}.xhp")), bytes).unwrap();
    }
    shop
}

fn xhprof(arguments: &[&str], directory: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xhprof"))
        .arg("regressions")
        .args(arguments)
        .arg(directory)
        .output()
        .unwrap()
}

fn text(output: Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_defects_of_the_shop_are_printed_in_each_format() {
    let directory = tempfile::tempdir().unwrap();
    let shop = write_shop(directory.path());
    let json: Value =
        serde_json::from_str(&text(xhprof(&["--format", "json"], directory.path()))).unwrap();
    let releases = json["releases"].as_array().unwrap();
    assert_eq!(releases.len(), shop.releases().len() - 1);
    let found: Vec<(&str, &str, &str)> = releases
        .iter()
        .flat_map(|release| {
            let of = release["findings"].as_array().unwrap().iter();
            of.map(move |finding| (release, finding))
        })
        .map(|(release, finding)| {
            let text = |value: &'static str| finding[value].as_str().unwrap();
            (
                release["release"].as_str().unwrap(),
                text("kind"),
                text("function"),
            )
        })
        .collect();
    let slower = ("4.4.0", "slower", "Shop\\Price\\TaxCalculator::rates");
    let query = (
        "4.5.0",
        "new_call",
        "Shop\\Catalogue\\ReviewRepository::average",
    );
    assert_eq!(found, [query, slower], "the latest release first");
    let of = |release: &str| releases.iter().find(|of| of["release"] == release).unwrap();
    let place = &of("4.4.0")["findings"][0]["places"][0];
    for open in place["open"].as_array().unwrap() {
        assert!(Path::new(open["file"].as_str().unwrap()).is_file());
    }

    let plain = text(xhprof(&[], directory.path()));
    assert!(
        plain.contains("1. slower: Shop\\Price\\TaxCalculator::rates takes"),
        "{plain}"
    );
    assert!(plain.contains("xhprof diff "), "{plain}");
    assert!(
        plain.ends_with("2 regressions in 4 of 5 releases that could be compared\n"),
        "{plain}"
    );

    let markdown = text(xhprof(&["--format", "markdown"], directory.path()));
    assert!(markdown.contains("### Release 4.4.0"), "{markdown}");
    assert!(markdown.contains("| /product/\\{id\\} |"), "{markdown}");

    let mut client = Client::of(&[directory.path().to_str().unwrap()]);
    let found = client.tool("regressions", &json!({ "since": "2026-11-01" }));
    assert!(found.text.contains("new call: "), "{}", found.text);
    assert_eq!(found.data["findings"][0]["function"], query.2);
    let next = &found.data["next"][0];
    assert_eq!(next["tool"], "differences");
    let changes = client.tool("differences", &next["arguments"]);
    assert!(
        changes.text.contains("ReviewRepository::average"),
        "{}",
        changes.text
    );
    let of_release = client.tool("regressions", &json!({ "offset": 1 }));
    assert_eq!(of_release.data["findings"][0]["function"], slower.2);
    client.end();

    let late = text(xhprof(
        &["--since", "2026-11-20", "--format", "json"],
        directory.path(),
    ));
    assert!(!late.contains("4.4.0"), "{late}");
}

#[test]
fn without_two_releases_there_is_nothing_to_compare() {
    let directory = tempfile::tempdir().unwrap();
    let shop = Shop::new(Options {
        runs: 5,
        days: 1,
        ..Options::default()
    });
    for (number, run) in shop.runs().enumerate() {
        let mut bytes = Vec::new();
        profile::native::write(&run, &mut bytes).unwrap();
        std::fs::write(directory.path().join(format!("{number}.xhp")), bytes).unwrap();
    }
    let output = xhprof(&[], directory.path());
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert!(errors.contains("only of the release 4.0.0"), "{errors}");
    assert!(errors.contains("xhprof_tag('release', …)"), "{errors}");
}
