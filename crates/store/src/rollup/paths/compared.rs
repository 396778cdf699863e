//! Whether two cells have the same sums.

use super::{Paths, Row};

impl PartialEq for Paths {
    fn eq(&self, other: &Self) -> bool {
        self.shape == other.shape && self.canonical() == other.canonical()
    }
}

impl Paths {
    /// The rows without their numbers, which depend on the order of adding.
    fn canonical(&self) -> Vec<(Vec<u64>, Row)> {
        let mut paths: Vec<Vec<u64>> = Vec::with_capacity(self.rows.len());
        let mut rows = Vec::with_capacity(self.rows.len());
        for (index, row) in self.rows.iter().enumerate() {
            let mut path = if self.is_edges() || index == 0 {
                vec![row.from]
            } else {
                let parent = usize::try_from(row.from).ok();
                let parent = parent.and_then(|parent| paths.get(parent));
                parent.cloned().unwrap_or_default()
            };
            path.push(row.to);
            paths.push(path.clone());
            if row.runs > 0 {
                rows.push((path, Row { from: 0, ..*row }));
            }
        }
        rows.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        rows
    }
}
