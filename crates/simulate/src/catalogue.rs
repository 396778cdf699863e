//! The routes of the shop, and the code that each runs.

/// What a call spends its time on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// Computing.
    Cpu,
    /// Waiting for a database.
    Sql(&'static str),
    /// Waiting for Redis.
    Redis(&'static str),
    /// Waiting for another server.
    Http(&'static str),
}

/// How often a call is made by its caller.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Times {
    /// That often, always.
    Always(u32),
    /// Once for each item of the page.
    Items,
    /// In that part of the runs.
    Sometimes(f64),
}

/// One route.
pub(crate) struct RouteSpec {
    pub(crate) method: &'static str,
    pub(crate) route: &'static str,
    pub(crate) controller: &'static str,
    /// Its share of the requests, in any unit.
    pub(crate) traffic: f64,
    /// The mean number of items of its page; 0 for none.
    pub(crate) items: f64,
    pub(crate) parts: &'static [Part],
}

/// A part of the application that some routes use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Session,
    Customer,
    Products,
    Product,
    Reviews,
    Prices,
    Cart,
    Order,
    Search,
    Stock,
    Payment,
    Shipping,
    Mail,
    Page,
    Json,
    Admin,
    Export,
}

use Part::{
    Admin, Cart, Customer, Export, Json, Mail, Order, Page, Payment, Prices, Product, Products,
    Reviews, Search, Session, Shipping, Stock,
};

const fn route(
    method: &'static str,
    route: &'static str,
    controller: &'static str,
    traffic: f64,
    items: f64,
    parts: &'static [Part],
) -> RouteSpec {
    RouteSpec {
        method,
        route,
        controller,
        traffic,
        items,
        parts,
    }
}

/// All routes; those with most requests first.
pub(crate) const ROUTES: [RouteSpec; 40] = [
    route(
        "GET",
        "/product/{id}",
        "Shop\\Controller\\ProductController::show",
        190.0,
        4.0,
        &[Session, Product, Prices, Stock, Reviews, Page],
    ),
    route(
        "GET",
        "/category/{slug}",
        "Shop\\Controller\\CategoryController::list",
        150.0,
        24.0,
        &[Session, Products, Prices, Page],
    ),
    route(
        "GET",
        "/",
        "Shop\\Controller\\HomeController::index",
        120.0,
        12.0,
        &[Session, Products, Prices, Page],
    ),
    route(
        "GET",
        "/search",
        "Shop\\Controller\\SearchController::results",
        110.0,
        20.0,
        &[Session, Search, Prices, Page],
    ),
    route(
        "GET",
        "/cart",
        "Shop\\Controller\\CartController::show",
        70.0,
        3.0,
        &[Session, Customer, Cart, Prices, Stock, Page],
    ),
    route(
        "POST",
        "/cart/add",
        "Shop\\Controller\\CartController::add",
        45.0,
        3.0,
        &[Session, Cart, Stock, Json],
    ),
    route(
        "GET",
        "/api/stock/{id}",
        "Shop\\Api\\StockController::show",
        40.0,
        0.0,
        &[Stock, Json],
    ),
    route(
        "GET",
        "/api/suggest",
        "Shop\\Api\\SuggestController::suggest",
        40.0,
        8.0,
        &[Search, Json],
    ),
    route(
        "GET",
        "/checkout",
        "Shop\\Controller\\CheckoutController::address",
        22.0,
        3.0,
        &[Session, Customer, Cart, Shipping, Page],
    ),
    route(
        "POST",
        "/checkout/address",
        "Shop\\Controller\\CheckoutController::saveAddress",
        18.0,
        3.0,
        &[Session, Customer, Cart, Page],
    ),
    route(
        "GET",
        "/checkout/payment",
        "Shop\\Controller\\CheckoutController::payment",
        16.0,
        3.0,
        &[Session, Customer, Cart, Payment, Page],
    ),
    route(
        "POST",
        "/checkout/confirm",
        "Shop\\Controller\\CheckoutController::confirm",
        13.0,
        3.0,
        &[Session, Customer, Cart, Payment, Order, Mail, Page],
    ),
    route(
        "GET",
        "/checkout/thanks",
        "Shop\\Controller\\CheckoutController::thanks",
        12.0,
        3.0,
        &[Session, Customer, Order, Page],
    ),
    route(
        "POST",
        "/cart/remove",
        "Shop\\Controller\\CartController::remove",
        12.0,
        3.0,
        &[Session, Cart, Json],
    ),
    route(
        "GET",
        "/login",
        "Shop\\Controller\\AccountController::login",
        14.0,
        0.0,
        &[Session, Page],
    ),
    route(
        "POST",
        "/login",
        "Shop\\Controller\\AccountController::check",
        11.0,
        0.0,
        &[Session, Customer, Page],
    ),
    route(
        "GET",
        "/account",
        "Shop\\Controller\\AccountController::overview",
        11.0,
        5.0,
        &[Session, Customer, Order, Page],
    ),
    route(
        "GET",
        "/account/orders",
        "Shop\\Controller\\AccountController::orders",
        9.0,
        10.0,
        &[Session, Customer, Order, Page],
    ),
    route(
        "GET",
        "/account/orders/{id}",
        "Shop\\Controller\\AccountController::order",
        7.0,
        4.0,
        &[Session, Customer, Order, Prices, Page],
    ),
    route(
        "POST",
        "/account/address",
        "Shop\\Controller\\AccountController::saveAddress",
        4.0,
        0.0,
        &[Session, Customer, Page],
    ),
    route(
        "GET",
        "/wishlist",
        "Shop\\Controller\\WishlistController::show",
        8.0,
        6.0,
        &[Session, Customer, Products, Prices, Page],
    ),
    route(
        "POST",
        "/wishlist/add",
        "Shop\\Controller\\WishlistController::add",
        4.0,
        0.0,
        &[Session, Customer, Json],
    ),
    route(
        "GET",
        "/brand/{slug}",
        "Shop\\Controller\\BrandController::show",
        16.0,
        18.0,
        &[Session, Products, Prices, Page],
    ),
    route(
        "GET",
        "/sale",
        "Shop\\Controller\\CategoryController::sale",
        18.0,
        24.0,
        &[Session, Products, Prices, Page],
    ),
    route(
        "GET",
        "/product/{id}/reviews",
        "Shop\\Controller\\ReviewController::list",
        10.0,
        12.0,
        &[Session, Product, Reviews, Page],
    ),
    route(
        "POST",
        "/product/{id}/reviews",
        "Shop\\Controller\\ReviewController::create",
        2.0,
        0.0,
        &[Session, Customer, Product, Reviews, Mail, Page],
    ),
    route(
        "GET",
        "/stores",
        "Shop\\Controller\\StoreController::list",
        5.0,
        12.0,
        &[Session, Page],
    ),
    route(
        "GET",
        "/page/{slug}",
        "Shop\\Controller\\PageController::show",
        12.0,
        0.0,
        &[Session, Page],
    ),
    route(
        "POST",
        "/contact",
        "Shop\\Controller\\ContactController::send",
        2.0,
        0.0,
        &[Session, Mail, Page],
    ),
    route(
        "POST",
        "/newsletter",
        "Shop\\Controller\\NewsletterController::subscribe",
        3.0,
        0.0,
        &[Session, Mail, Json],
    ),
    route(
        "GET",
        "/sitemap.xml",
        "Shop\\Controller\\SitemapController::index",
        2.0,
        60.0,
        &[Products],
    ),
    route(
        "GET",
        "/feed/products.csv",
        "Shop\\Controller\\FeedController::products",
        2.0,
        80.0,
        &[Products, Prices, Export],
    ),
    route(
        "POST",
        "/payment/notify",
        "Shop\\Api\\PaymentController::notify",
        8.0,
        0.0,
        &[Payment, Order, Mail, Json],
    ),
    route(
        "GET",
        "/api/products",
        "Shop\\Api\\ProductController::list",
        20.0,
        30.0,
        &[Products, Prices, Json],
    ),
    route(
        "GET",
        "/api/products/{id}",
        "Shop\\Api\\ProductController::show",
        20.0,
        4.0,
        &[Product, Prices, Stock, Json],
    ),
    route(
        "POST",
        "/api/orders",
        "Shop\\Api\\OrderController::create",
        6.0,
        3.0,
        &[Customer, Cart, Order, Mail, Json],
    ),
    route(
        "GET",
        "/admin",
        "Shop\\Admin\\DashboardController::index",
        3.0,
        10.0,
        &[Session, Admin, Order, Page],
    ),
    route(
        "GET",
        "/admin/orders",
        "Shop\\Admin\\OrderController::list",
        5.0,
        40.0,
        &[Session, Admin, Order, Page],
    ),
    route(
        "POST",
        "/admin/products/{id}",
        "Shop\\Admin\\ProductController::save",
        3.0,
        4.0,
        &[Session, Admin, Product, Stock, Page],
    ),
    route(
        "GET",
        "/admin/reports/{name}",
        "Shop\\Admin\\ReportController::show",
        1.0,
        50.0,
        &[Session, Admin, Order, Export],
    ),
];
