//! One process that is sampled: what its threads execute now.

use std::io;
use std::path::Path;
use std::rc::Rc;

use profile::{FileId, SymbolId};

use crate::error::AttachError;
use crate::find::{Effort, Finder};
use crate::functions::{Functions, Meaning, View};
use crate::layout::to_usize;
use crate::memory::{Memory, word_in};
use crate::process::{self, Process};
use crate::stack::{RawFrame, Reading, StackReader};
use crate::stop::Stopped;
use crate::symbols::Symbols;
use crate::target::{Globals, Target};
use crate::waiting::{State, Waits, thread_number};

/// What to read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// The top level of files is a function, as with `xhprof.run_init=1`.
    pub files: bool,
    /// The line of each frame.
    pub lines: bool,
    /// The process is stopped while it is read.
    pub stop: bool,
    /// What a thread waits for is the innermost frame: `[recvfrom tcp 10.0.0.5:3306]`.
    pub native: bool,
}

/// What a call executes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Place {
    /// The file, if it is not that of the function: the top level of a file that the function includes.
    pub file: Option<FileId>,
    /// The line; zero if it is not known, or not asked for.
    pub line: u32,
}

/// A call on a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// The function.
    pub symbol: SymbolId,
    /// What it executes.
    pub place: Place,
}

impl Frame {
    /// A call whose line is not known.
    #[must_use]
    pub fn of(symbol: SymbolId) -> Self {
        Self {
            symbol,
            place: Place::default(),
        }
    }
}

/// The calls that a thread has not left.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stack<'a> {
    /// What `main()` executes.
    pub main: Place,
    /// The calls, the outermost first. Empty at the top level of the main file.
    pub frames: &'a [Frame],
}

/// What a thread does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen<'a> {
    /// It executes these calls.
    Stack(Stack<'a>),
    /// It executes no function: it waits for a request.
    Idle,
    /// Its stack could not be read without contradiction.
    Torn,
}

/// A process that is sampled.
#[derive(Debug)]
pub struct Worker {
    /// The process, as it was when it was found.
    pub process: Rc<Process>,
    /// Its PHP.
    pub target: Target,
    reader: StackReader,
    functions: Functions,
    main: Place,
    frames: Vec<Frame>,
    waits: Waits,
    /// Whether the last thread that was read waited for a request.
    was_idle: bool,
    /// Memory for [`is_idle`].
    bytes: Vec<u8>,
}

/// How often a stack is read whose functions contradict it.
const ATTEMPTS: usize = 3;

impl Worker {
    /// Opens a process.
    ///
    /// # Errors
    ///
    /// As for [`Finder::open`].
    pub fn open(
        finder: &mut Finder,
        process: Rc<Process>,
        effort: Effort,
    ) -> Result<Self, AttachError> {
        let target = finder.open(process.id, effort)?;
        Ok(Self::new(process, target))
    }

    /// Opens a core file, by the binary whose process it was.
    ///
    /// # Errors
    ///
    /// If it is none, or its PHP is not one that a layout fits.
    pub fn open_core(finder: &mut Finder, core: &Path, binary: &Path) -> Result<Self, AttachError> {
        let (process, target) = finder.open_core(core, binary)?;
        Ok(Self::new(Rc::new(process), target))
    }

    fn new(process: Rc<Process>, target: Target) -> Self {
        Self {
            process,
            target,
            reader: StackReader::default(),
            functions: Functions::default(),
            main: Place::default(),
            frames: Vec::new(),
            waits: Waits::default(),
            was_idle: false,
            bytes: Vec::new(),
        }
    }

    /// Calls `act` with what each thread does.
    ///
    /// # Errors
    ///
    /// If the process has ended, or another program runs in it.
    pub fn sample(
        &mut self,
        options: Options,
        symbols: &mut Symbols,
        act: &mut dyn FnMut(Seen<'_>, &Symbols),
    ) -> io::Result<()> {
        // A process that waits does not change its stack, and a stop would interrupt what it waits for.
        let is_running = || process::is_on_cpu(self.process.id) == Some(true);
        let stopped = (options.stop && is_running()).then(|| Stopped::all_threads(self.process.id));
        let is_stopped = stopped.as_ref().is_some_and(Stopped::is_complete);
        let threads = self.target.roots.all(&self.target.memory);
        if threads.is_empty() {
            // The table of threads is not there: the process ends.
            self.target.memory_is_there()?;
        }
        for globals in threads {
            if self.was_idle && is_idle(&self.target, globals, &mut self.bytes) {
                act(Seen::Idle, symbols);
                continue;
            }
            self.was_idle = false;
            let thread = options.native.then(|| self.thread(globals)).flatten();
            let before = thread.map(|thread| self.waits.state(self.process.id, thread));
            let seen = self.read(globals, options, is_stopped, symbols)?;
            if let (Reading::Stack, Some(thread), Some(state)) = (seen, thread, before) {
                self.add_wait(thread, &state, symbols);
            }
            if seen == Reading::Torn {
                self.target.memory_is_there()?;
            }
            let seen = match seen {
                Reading::Stack => Seen::Stack(Stack {
                    main: self.main,
                    frames: &self.frames,
                }),
                Reading::Idle => Seen::Idle,
                Reading::Torn => Seen::Torn,
            };
            act(seen, symbols);
        }
        Ok(())
    }

    /// The kernel's number of the thread that has these globals.
    fn thread(&self, globals: Globals) -> Option<u32> {
        match globals.pthread {
            None => Some(self.process.id),
            Some(pthread) => thread_number(&self.target.memory, self.process.id, pthread),
        }
    }

    /// Adds what a thread waits for as the innermost frame. Only what was the same before and after the stack was read
    /// is the stack's.
    fn add_wait(&mut self, thread: u32, before: &State, symbols: &mut Symbols) {
        let process = self.process.id;
        if *before == State::OnCpu || self.waits.state(process, thread) != *before {
            return;
        }
        let name = self
            .waits
            .name(before, process, thread, &self.target.memory);
        if let Some(name) = name {
            let symbol = symbols.add_wait(&name);
            self.frames.push(Frame::of(symbol));
        }
    }

    /// Reads one thread's stack into `frames`.
    fn read(
        &mut self,
        globals: Globals,
        options: Options,
        is_stopped: bool,
        symbols: &mut Symbols,
    ) -> io::Result<Reading> {
        for _ in 0..ATTEMPTS {
            let (memory, layout) = (&self.target.memory, &*self.target.layout);
            let reading = if is_stopped {
                self.reader.read_stopped(memory, globals.executor, layout)?
            } else {
                self.reader.read(memory, globals.executor, layout)?
            };
            let view = View::of(&self.target);
            let compilation = |symbols: &mut Symbols| view.compilation(globals.compiler?, symbols);
            self.frames.clear();
            self.main = Place::default();
            match reading {
                Reading::Torn => return Ok(Reading::Torn),
                Reading::Idle => {
                    // The main file is compiled before anything runs.
                    let Some(symbol) = compilation(symbols) else {
                        self.was_idle = true;
                        return Ok(Reading::Idle);
                    };
                    self.frames.push(Frame::of(symbol));
                    return Ok(Reading::Stack);
                }
                Reading::Stack => {}
            }
            let frames = self.reader.frames();
            let named = name(
                &view,
                frames,
                options,
                &mut self.functions,
                symbols,
                (&mut self.main, &mut self.frames),
            );
            let Some(innermost) = named else {
                continue;
            };
            if innermost == Innermost::Code
                && let Some(frame) = frames.first()
                && self.functions.is_including(&view, frame)
                && let Some(symbol) = compilation(symbols)
            {
                self.frames.push(Frame::of(symbol));
            }
            return Ok(Reading::Stack);
        }
        Ok(Reading::Torn)
    }
}

/// Whether a thread has no frame and compiles nothing, by one read: PHP has both globals beside each other, mostly.
fn is_idle(target: &Target, globals: Globals, bytes: &mut Vec<u8>) -> bool {
    const FARTHEST: usize = 4096;
    let layout = &target.layout;
    let frame = globals.executor.wrapping_add(layout.current_execute_data);
    let Some(compiler) = globals.compiler else {
        return false;
    };
    let flag = compiler.wrapping_add(layout.in_compilation);
    let start = frame.min(flag);
    let length = to_usize(frame.max(flag) - start).saturating_add(8);
    if length > FARTHEST {
        return false;
    }
    bytes.resize(length, 0);
    let is_read = target.memory.read(start, bytes).is_ok();
    let is_compiling = bytes.get(to_usize(flag - start)).copied();
    is_read && word_in(bytes, frame - start) == 0 && is_compiling == Some(0)
}

/// What a thread executes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Innermost {
    /// PHP code.
    Code,
    /// A function of PHP's, or none.
    Other,
}

/// Names the calls of a stack, the outermost first; none if one of its functions cannot be one.
fn name<M: Memory>(
    view: &View<'_, M>,
    stack: &[RawFrame],
    options: Options,
    functions: &mut Functions,
    symbols: &mut Symbols,
    (main, frames): (&mut Place, &mut Vec<Frame>),
) -> Option<Innermost> {
    functions.next_stack(view, stack);
    // The instruction of `main()` and of each call.
    let mut oplines = vec![(0, 0)];
    let mut innermost = Innermost::Other;
    for (index, frame) in stack.iter().enumerate().rev() {
        match functions.meaning(view, frame, index == 0, symbols) {
            Meaning::Call {
                symbol,
                is_file,
                is_internal,
                file,
                number,
            } => {
                if index == 0 && !is_internal {
                    innermost = Innermost::Code;
                }
                let place = Place { file, line: 0 };
                let opline = if is_internal { 0 } else { frame.opline };
                if is_file && !options.files {
                    // Its caller executes it.
                    let caller = frames
                        .last_mut()
                        .map_or(&mut *main, |frame| &mut frame.place);
                    *caller = place;
                    oplines.pop();
                } else {
                    frames.push(Frame { symbol, place });
                }
                oplines.push((opline, number));
            }
            Meaning::Nothing => {}
            Meaning::Broken => return None,
        }
    }
    if options.lines {
        let calls = frames.iter_mut().map(|frame| &mut frame.place);
        let places = std::iter::once(main).chain(calls);
        let lines = places.map(|place| &mut place.line);
        functions
            .lines
            .read(view.memory, view.layout.lineno, &oplines, lines);
    }
    Some(innermost)
}
