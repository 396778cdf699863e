//! The description of the API.

use std::collections::BTreeSet;

use serde_json::Value;
use serve::routes;

use super::server::open;

#[test]
fn the_description_has_every_route_of_the_api() {
    let server = open();
    let description = server.get("/api/v1/openapi.json").json();
    for (route, _) in routes() {
        if !route.path.starts_with("/api/v1/") {
            continue;
        }
        for (method, _) in route.methods {
            let described = &description["paths"][route.path][method.to_lowercase()];
            let is_itself = route.path == "/api/v1/openapi.json";
            assert!(
                is_itself || described.is_object(),
                "{method} {}",
                route.path
            );
        }
    }
}

/// Adds the targets of all references in a document.
fn references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| references(value, found)),
        Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_str() {
                    Some(target) if name == "$ref" => {
                        found.insert(target.trim_start_matches('#').to_owned());
                    }
                    _ => references(value, found),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn the_description_has_all_schemas_that_it_refers_to() {
    let description = open().get("/api/v1/openapi.json").json();
    let mut found = BTreeSet::new();
    references(&description, &mut found);
    assert!(found.contains("/components/schemas/RunSort"));
    for target in found {
        assert!(description.pointer(&target).is_some(), "{target}");
    }
}
