//! What the fleet's applications, routes and functions are called.

use crate::noise::Random;

const CLASSES: &str = "Kernel Router Container Session Basket Catalogue Price Tax Stock Repository Query \
    Hydrator Cache View Template Form Validator Translator Event Logger Mailer Customer \
    Order Search Invoice Payment Shipping Report Import Export Media Menu";

const METHODS: &str = "handle get set load save find findAll build render apply calculate normalize resolve \
    create dispatch filter map format escape merge hydrate validate compile fetch rate \
    open close count collect compare sort group";

const INTERNAL: &str = "json_encode json_decode preg_match preg_replace array_map array_merge array_filter \
    str_replace htmlspecialchars file_get_contents unserialize serialize hash strtr \
    sprintf usort";

const RESOURCES: &str = "products orders customers carts invoices stock prices reviews reports media stores \
    coupons";

/// An application.
pub(super) fn app(number: u32) -> String {
    format!("app-{}", number + 1)
}

/// A release.
pub(super) fn release(number: u32) -> String {
    format!("{}.{}", 2026, number + 1)
}

/// A host.
pub(super) fn host(number: u32) -> String {
    format!("web-{}", number + 1)
}

/// A route: its method and its name.
pub(super) fn route(number: u32) -> (&'static str, String) {
    let resource = of(RESOURCES, number);
    let version = number / count(RESOURCES);
    match number % 4 {
        0 => ("GET", format!("/{resource}/v{version}")),
        1 => ("GET", format!("/{resource}/v{version}/{{id}}")),
        2 => ("POST", format!("POST /{resource}/v{version}")),
        _ => ("GET", format!("/api/{resource}/v{version}")),
    }
}

/// A function of PHP.
pub(super) fn internal(random: &mut Random) -> String {
    any(INTERNAL, random).to_owned()
}

/// A method of PHP code below a namespace.
pub(super) fn method(random: &mut Random, namespace: &str) -> String {
    let class = any(CLASSES, random);
    let method = any(METHODS, random);
    format!("{namespace}\\{class}::{method}")
}

/// A statement, without literals.
pub(super) fn statement(number: u32) -> String {
    let table = of(RESOURCES, number);
    format!(
        "SELECT * FROM {table} WHERE id = ? AND kind = {}",
        number % 40
    )
}

/// One of some words.
fn any(words: &'static str, random: &mut Random) -> &'static str {
    of(words, random.below(u64::from(count(words))) as u32)
}

fn of(words: &'static str, number: u32) -> &'static str {
    let mut all = words.split(' ');
    all.nth((number % count(words)) as usize)
        .unwrap_or_default()
}

fn count(words: &str) -> u32 {
    words.split(' ').count() as u32
}
