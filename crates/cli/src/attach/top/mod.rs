//! `xhprof top`: a table of what running processes do, updated each second.

mod counts;
mod keys;
mod screen;

use std::io::{self, IsTerminal};
use std::time::Duration;

use ::attach::{Options, Process, Request, Seen, Symbols};
use anyhow::{Result, bail};

use super::choose::Chosen;
use super::pace::Pace;
use crate::args::{TopArguments, TopSort};
use crate::pager;
use counts::Counts;
use keys::{Key, Keyboard};
use screen::{Screen, table};

/// How long it samples if there is no terminal to show it on.
const ONCE: Duration = Duration::from_secs(2);

/// What is shown, and how.
pub(super) struct View {
    pub(super) sort: TopSort,
    pub(super) filter: String,
    /// Whether the next keys belong to the filter.
    pub(super) is_typing: bool,
    pub(super) is_paused: bool,
    /// The one process that is shown; none for all.
    pub(super) worker: Option<u32>,
}

/// What the table is about.
pub(super) struct Head {
    pub(super) processes: Vec<u32>,
    pub(super) requests: Vec<(u32, Request)>,
}

/// Shows the table until a key or a signal ends it, or prints it once.
pub(crate) fn run(arguments: &TopArguments) -> Result<()> {
    let options = Options {
        stop: arguments.choice.stop,
        native: arguments.native,
        ..Options::default()
    };
    let mut chosen = Chosen::new(&arguments.choice, options)?;
    let mut view = View {
        sort: arguments.sort,
        filter: arguments.filter.clone(),
        is_typing: false,
        is_paused: false,
        worker: None,
    };
    if io::stdout().is_terminal() && io::stdin().is_terminal() {
        let pace = Pace::new(arguments.rate, arguments.duration.unwrap_or_default())?;
        return live(&mut chosen, &mut view, pace);
    }
    let mut pace = Pace::new(arguments.rate, arguments.duration.unwrap_or(ONCE))?;
    let mut counts = Counts::default();
    while let Some(tick) = pace.next() {
        if tick.is_time_to_look && !chosen.look()? {
            break;
        }
        pace.spread(sample(&mut chosen, &mut counts, &view));
    }
    if chosen.count() == 0 {
        bail!("no PHP process was found");
    }
    let look = crate::terminal::Look::plain();
    let text = table(
        &counts,
        &view,
        &head(&chosen),
        &chosen.watch.symbols,
        look,
        usize::MAX,
    );
    pager::print(false, |_| Ok(text))
}

/// The table on a terminal.
fn live(chosen: &mut Chosen, view: &mut View, mut pace: Pace) -> Result<()> {
    let mut screen = Screen::open()?;
    let mut keyboard = Keyboard::open()?;
    let mut counts = Counts::default();
    while let Some(tick) = pace.next() {
        if tick.is_time_to_look && !chosen.look()? {
            break;
        }
        let mut is_changed = false;
        for key in keyboard.pressed()? {
            is_changed = true;
            if !view.press(key, chosen) {
                return Ok(());
            }
        }
        if !view.is_paused {
            pace.spread(sample(chosen, &mut counts, view));
            if tick.is_second_over {
                counts.second_is_over();
            }
            is_changed |= tick.is_second_over;
        }
        if is_changed {
            screen.draw(&counts, view, &head(chosen), &chosen.watch.symbols)?;
        }
    }
    Ok(())
}

/// How many threads were read.
fn sample(chosen: &mut Chosen, counts: &mut Counts, view: &View) -> u32 {
    chosen
        .watch
        .sample(&mut |process: &Process, seen: Seen<'_>, _: &Symbols| {
            if view.worker.is_some_and(|worker| worker != process.id) {
                return;
            }
            match seen {
                Seen::Stack(stack) => counts.add(stack.frames),
                Seen::Idle => counts.add_idle(),
                Seen::Torn => counts.add_torn(),
            }
        })
}

fn head(chosen: &Chosen) -> Head {
    let workers = chosen.watch.workers();
    let requests = workers.iter().flat_map(|worker| {
        let requests = worker.target.requests().into_iter();
        requests.map(|request| (worker.process.id, request))
    });
    Head {
        processes: workers.iter().map(|worker| worker.process.id).collect(),
        requests: requests.collect(),
    }
}

impl View {
    /// Does what a key asks for; false if it ends the program.
    fn press(&mut self, key: Key, chosen: &Chosen) -> bool {
        if self.is_typing {
            match key {
                Key::Letter(letter) => self.filter.push(letter),
                Key::Backspace => drop(self.filter.pop()),
                Key::Enter => self.is_typing = false,
                Key::Escape => {
                    self.is_typing = false;
                    self.filter.clear();
                }
                Key::Interrupt => return false,
            }
            return true;
        }
        match key {
            Key::Letter('q') | Key::Interrupt => return false,
            Key::Letter('s') => self.sort = TopSort::Own,
            Key::Letter('i') => self.sort = TopSort::Inclusive,
            Key::Letter('S') => self.sort = TopSort::OwnOfAll,
            Key::Letter('I') => self.sort = TopSort::InclusiveOfAll,
            Key::Letter(' ' | 'p') => self.is_paused = !self.is_paused,
            Key::Letter('/') => self.is_typing = true,
            Key::Letter('w') => {
                let mut processes = chosen
                    .watch
                    .workers()
                    .iter()
                    .map(|worker| worker.process.id);
                self.worker = match self.worker {
                    None => processes.next(),
                    Some(worker) => processes.skip_while(|process| *process != worker).nth(1),
                };
            }
            Key::Escape => {
                self.filter.clear();
                self.worker = None;
            }
            Key::Letter(_) | Key::Backspace | Key::Enter => {}
        }
        true
    }
}
