//! Single runs of a small shop, each at a chosen time: what tests store.
//!
//! Each run calls `Repository::find`, and all its other calls are those of a route of a
//! [`Fleet`](super::Fleet). The same settings give the same run.

use profile::Profile;

use super::plan::Node;
use super::{At, FleetOptions, HOUR_US};
use crate::noise::Random;

/// The routes with a name of their own.
const ROUTES: [&str; 5] = ["/", "/cart", "/checkout", "/product/?", "/category/?"];

/// The settings of a shop.
#[derive(Debug, Clone)]
pub struct SmallShop {
    /// The application's name.
    pub app: String,
    /// The call paths of each route.
    pub paths: u32,
    /// The releases, in order.
    pub releases: Vec<String>,
    /// The number of a route, and that of the release that makes its `Repository::find`
    /// take longer by the factor.
    pub slower: Option<(u32, usize, f32)>,
}

impl Default for SmallShop {
    fn default() -> Self {
        Self {
            app: "shop".to_owned(),
            paths: 1000,
            releases: (1..=4).map(|number| format!("2026.11.{number}")).collect(),
            slower: None,
        }
    }
}

/// When and where a run happens.
#[derive(Debug, Clone, Copy)]
pub struct RunAt {
    /// A number that no other run of the shop has.
    pub number: u64,
    /// The route's number.
    pub route: u32,
    /// The release's number.
    pub release: usize,
    /// The start, in microseconds since 1970.
    pub started_us: u64,
}

impl SmallShop {
    /// One run.
    #[must_use]
    pub fn run(&self, run: RunAt) -> Profile {
        let options = FleetOptions {
            releases: 1,
            paths: (self.paths, self.paths),
            ..FleetOptions::default()
        };
        let mut random = Random::new(options.seed, run.number);
        let at = At {
            number: run.number,
            started_us: run.started_us,
            hour: run.started_us / HOUR_US,
            route: run.route,
            app: 0,
            release: 0,
            host: random.below(2) as u32,
        };
        let mut plan = options.plan(at);
        let slower = self
            .slower
            .filter(|(route, release, _)| run.route == *route && run.release >= *release);
        let symbol = plan.symbol("Repository::find".to_owned(), false);
        plan.nodes.push(Node {
            parent: 0,
            symbol,
            time: 2_000_000.0 * slower.map_or(1.0, |(.., factor)| factor),
            memory: 0,
            calls: 3,
            since: 0,
            is_query: true,
            is_rare: false,
        });
        let mut profile = options.record(&plan, at, random);
        let route = ROUTES.get(run.route as usize).map_or_else(
            || format!("/page-{}", run.route),
            |route| (*route).to_owned(),
        );
        let meta = &mut profile.meta;
        meta.title = Some(route.replace('?', &run.number.to_string()));
        meta.tags
            .retain(|(name, _)| !matches!(name.as_str(), "path" | "number"));
        meta.set_tag("app", self.app.clone());
        meta.set_tag("route", route);
        let release = self.releases.get(run.release).cloned();
        meta.set_tag("release", release.unwrap_or_default());
        profile
    }
}
