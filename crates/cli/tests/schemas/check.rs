//! The budgets of the documents fit `docs/check.schema.json`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::documented::documented;

#[test]
fn what_is_documented_is_as_the_schema_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/check.schema.json");
    let schema: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let files = documented();
    assert!(files.len() >= 4, "{}", files.len());
    for text in files {
        let value: Value = yaml_serde::from_str(&text).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&value)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{errors:?}\n{text}");
    }
    let unknown: Value =
        yaml_serde::from_str("scenarios: [{name: a, run: b, budget: []}]").unwrap();
    assert!(validator.iter_errors(&unknown).next().is_some());
}
