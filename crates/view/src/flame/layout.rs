//! From an arrangement of calls to boxes in pixels.

use std::collections::HashMap;

use profile::SymbolId;

use super::{Flame, FlameBoxes, FlameName, FlameQuery, FlameView, FlameZoom};
use crate::Error;
use crate::names::Origin;

/// A tree that is opened box by box.
pub(super) trait Arranged {
    /// What a box stands for: a node, or several of the same function.
    type Place;

    /// The box that everything stands below.
    fn root(&self) -> Opened<Self::Place>;

    /// The boxes below `place`, from left to right. Each function is there
    /// once; their values are not greater than that of `place`.
    fn below(&self, place: &Self::Place) -> Vec<Opened<Self::Place>>;
}

/// A box, and how to open it.
#[derive(Debug)]
pub(super) struct Opened<P> {
    pub(super) place: P,
    pub(super) symbol: SymbolId,
    /// What makes its width.
    pub(super) width: i64,
    pub(super) value: i64,
    /// The value in the base, in a comparison.
    pub(super) base: Option<i64>,
    pub(super) own: i64,
    pub(super) calls: u64,
}

/// More are not drawn: 60 rows of 1,920 pixels, two pixels a box.
const MOST_BOXES: usize = 60_000;

/// How far a box reaches out of the window, in pixels: its edge is not seen.
const OUTSIDE: f64 = 16.0;

/// The boxes of `tree` that the query asks for.
///
/// # Errors
///
/// [`Error::UnknownNode`] if the zoomed path does not exist.
pub(super) fn layout<T: Arranged>(tree: &T, query: &FlameQuery) -> Result<Flame, Error> {
    let root = tree.root();
    let (total, mut value) = (root.value, root.value);
    let mut sheet = Sheet::new(query);
    // The path to the zoomed box is as wide as the window.
    let mut zoomed = root;
    let mut parent = sheet.add(0, 0, 0, (0.0, sheet.width), &zoomed);
    for (row, function) in (1_u32..).zip(&query.zoom) {
        let mut below = (0_u32..).zip(tree.below(&zoomed.place));
        let (place, found) = below
            .find(|(_, opened)| opened.symbol.0 == *function)
            .ok_or(Error::UnknownNode)?;
        zoomed = found;
        value = zoomed.value;
        parent = sheet.add(parent, row, place, (0.0, sheet.width), &zoomed);
    }
    let whole = zoomed.width;
    let row = u32::try_from(query.zoom.len()).unwrap_or(u32::MAX);
    let mut open = vec![Open {
        place: zoomed.place,
        width: whole,
        number: parent,
        row,
        left: sheet.left_of(0.0),
    }];
    #[expect(clippy::cast_precision_loss, reason = "pixels")]
    let scale = if whole > 0 {
        (sheet.left_of(1.0) - sheet.left_of(0.0)) / whole as f64
    } else {
        0.0
    };
    while let Some(box_) = open.pop() {
        if sheet.is_full() {
            sheet.truncated = true;
            break;
        }
        let mut left = box_.left;
        let mut joined = Joined::default();
        for (place, below) in (0_u32..).zip(tree.below(&box_.place)) {
            #[expect(clippy::cast_precision_loss, reason = "pixels")]
            let width = below.width.max(0) as f64 * scale;
            if !sheet.shows(left, left + width) {
                sheet.add_joined(&mut joined, box_.number, box_.row + 1);
                left += width;
                continue;
            }
            if width < sheet.min_width {
                joined.add(place, left, width, &below);
                left += width;
                if joined.width() >= sheet.min_width * 4.0 {
                    sheet.add_joined(&mut joined, box_.number, box_.row + 1);
                }
                continue;
            }
            sheet.add_joined(&mut joined, box_.number, box_.row + 1);
            let edges = (left, left + width);
            let number = sheet.add(box_.number, box_.row + 1, place, edges, &below);
            open.push(Open {
                place: below.place,
                width: below.width,
                number,
                row: box_.row + 1,
                left,
            });
            left += width;
        }
        sheet.add_joined(&mut joined, box_.number, box_.row + 1);
        debug_assert!(
            left <= box_.left + box_.width.max(0) as f64 * scale + 0.01,
            "callees are wider than their caller"
        );
    }
    Ok(sheet.finish(FlameZoom { total, value }))
}

struct Open<P> {
    place: P,
    width: i64,
    number: u32,
    row: u32,
    left: f64,
}

/// Neighbours that are too narrow to be seen.
#[derive(Debug, Default)]
struct Joined {
    left: f64,
    right: f64,
    first: u32,
    count: u32,
    value: i64,
    base: Option<i64>,
    calls: u64,
}

impl Joined {
    fn add<P>(&mut self, place: u32, left: f64, width: f64, opened: &Opened<P>) {
        if self.count == 0 {
            self.left = left;
            self.first = place;
        }
        self.right = left + width;
        self.count = self.count.saturating_add(1);
        self.value = self.value.saturating_add(opened.value);
        if let Some(base) = opened.base {
            self.base = Some(self.base.unwrap_or(0).saturating_add(base));
        }
        self.calls = self.calls.saturating_add(opened.calls);
    }

    fn width(&self) -> f64 {
        self.right - self.left
    }
}

struct Sheet {
    width: f64,
    view: FlameView,
    min_width: f64,
    boxes: FlameBoxes,
    names: Vec<FlameName>,
    places: HashMap<SymbolId, i32>,
    depth: u32,
    truncated: bool,
}

impl Sheet {
    fn new(query: &FlameQuery) -> Self {
        let clean = |pixels: f32, least: f32, most: f32| {
            f64::from(if pixels.is_finite() { pixels } else { most }.clamp(least, most))
        };
        Self {
            width: clean(query.width, 1.0, 100_000.0),
            view: query.view.unwrap_or_default().clean(),
            min_width: clean(query.min_width, 0.1, 1_000.0),
            boxes: FlameBoxes::default(),
            names: Vec::new(),
            places: HashMap::new(),
            depth: 0,
            truncated: false,
        }
    }

    /// Where a place of the zoomed box, from 0 to 1, is in the window.
    fn left_of(&self, place: f64) -> f64 {
        (place - self.view.from) / (self.view.to - self.view.from) * self.width
    }

    /// Whether a box is in the window.
    fn shows(&self, left: f64, right: f64) -> bool {
        right > -1.0 && left < self.width + 1.0
    }

    fn is_full(&self) -> bool {
        self.boxes.row.len() >= MOST_BOXES
    }

    fn add<P>(
        &mut self,
        parent: u32,
        row: u32,
        place: u32,
        edges: (f64, f64),
        opened: &Opened<P>,
    ) -> u32 {
        let name = self.name(opened.symbol);
        self.push(parent, row, edges, name);
        self.boxes.value.push(opened.value);
        self.boxes.base.extend(opened.base);
        self.boxes.own.push(opened.own);
        self.boxes.calls.push(opened.calls);
        self.boxes.joined.push(1);
        self.boxes.first.push(place);
        u32::try_from(self.boxes.row.len() - 1).unwrap_or(u32::MAX)
    }

    /// A box for what was joined, if it can be seen.
    fn add_joined(&mut self, joined: &mut Joined, parent: u32, row: u32) {
        let joined = std::mem::take(joined);
        if joined.count == 0 || joined.width() < self.min_width / 2.0 {
            return;
        }
        self.push(parent, row, (joined.left, joined.right), -1);
        self.boxes.value.push(joined.value);
        self.boxes.base.extend(joined.base);
        self.boxes.own.push(0);
        self.boxes.calls.push(joined.calls);
        self.boxes.joined.push(joined.count);
        self.boxes.first.push(joined.first);
    }

    #[expect(clippy::cast_possible_truncation, reason = "pixels")]
    fn push(&mut self, parent: u32, row: u32, (left, right): (f64, f64), name: i32) {
        self.depth = self.depth.max(row);
        self.boxes.parent.push(parent);
        self.boxes.row.push(row);
        // What is outside is not drawn, and large numbers would lose digits.
        let inside = |pixels: f64| pixels.clamp(-OUTSIDE, self.width + OUTSIDE) as f32;
        let (left, right) = (inside(left), inside(right));
        self.boxes.left.push(left);
        self.boxes.right.push(right);
        self.boxes.name.push(name);
    }

    fn name(&mut self, symbol: SymbolId) -> i32 {
        let next = i32::try_from(self.names.len()).unwrap_or(i32::MAX);
        let place = *self.places.entry(symbol).or_insert(next);
        if place == next {
            self.names.push(FlameName {
                function: symbol.0,
                name: String::new(),
                origin: Origin::Other,
                class: 0,
                colour: 0,
                found: false,
            });
        }
        place
    }

    #[expect(clippy::cast_possible_truncation, reason = "pixels")]
    fn finish(self, zoom: FlameZoom) -> Flame {
        Flame {
            zoom,
            view: self.view,
            width: self.width as f32,
            depth: self.depth,
            boxes: self.boxes,
            names: self.names,
            truncated: self.truncated,
        }
    }
}
