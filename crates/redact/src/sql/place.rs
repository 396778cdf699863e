//! Tracks the scanner's position in a statement: whether a word in double
//! quotes must be a name there.
//!
//! **Invariant:** reports a name only where no dialect allows a string: at a
//! table's name, and in the list of columns of an `INSERT`. `PREPARE p FROM
//! "…"`, `TRIM("…" FROM "…")`, `IDENTIFIED WITH p AS "…"` show why these are so
//! few.
//!
//! `SQLite` and drivers of an unknown dialect need these. Of 1,033 statements of
//! Laravel's tests with words in double quotes, 884 keep the name of their table;
//! without these positions 13 do, and nothing tells such statements apart.

/// The expected next token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Anything,
    /// A table's name.
    Table,
    /// The name of the table that an `INSERT` fills.
    Target,
    /// After that name; columns may follow.
    Columns,
}

/// The first keyword of a statement, or of one in parentheses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begin {
    /// No keyword yet.
    Open,
    Query,
    Insert,
    /// `SET`, `PRAGMA`: a word may be a value.
    Setting,
    /// `CREATE`, `ALTER`.
    Definition,
    /// An object that PostgreSQL stores settings for.
    DefinitionWithSettings,
    Other,
}

#[derive(Debug, Clone, Copy)]
struct Level {
    begin: Begin,
    /// After `SELECT` or `DELETE`, so that `FROM` belongs to it.
    reads: bool,
    is_columns: bool,
    holds_values: bool,
}

const EMPTY: Level = Level {
    begin: Begin::Open,
    reads: false,
    is_columns: false,
    holds_values: false,
};

/// The position.
#[derive(Debug)]
pub(super) struct Place {
    outer: Level,
    /// The open parentheses.
    levels: Vec<Level>,
    next: Next,
    is_after_distinct: bool,
    has_assigned: bool,
}

impl Place {
    pub(super) fn new() -> Self {
        Self {
            outer: EMPTY,
            levels: Vec::new(),
            next: Next::Anything,
            is_after_distinct: false,
            has_assigned: false,
        }
    }

    fn level(&mut self) -> &mut Level {
        self.levels.last_mut().unwrap_or(&mut self.outer)
    }

    /// Whether the innermost parentheses hold values, as in `IN (…)`.
    pub(super) fn holds_values(&self) -> bool {
        self.levels.last().is_some_and(|level| level.holds_values)
    }

    /// Whether the list contains the columns of an `INSERT`.
    pub(super) fn is_columns(&self) -> bool {
        self.levels.last().is_some_and(|level| level.is_columns)
    }

    /// Whether only a table's name can come next.
    pub(super) fn is_table_next(&self) -> bool {
        matches!(self.next, Next::Table | Next::Target)
    }

    /// Whether a word is a value, quoted or not: `SET role TO secret`.
    pub(super) fn is_word_value(&self) -> bool {
        self.has_assigned
    }

    /// The position is unknown from here on.
    pub(super) fn forget(&mut self) {
        let lost = |level: &mut Level| {
            if matches!(level.begin, Begin::Open | Begin::Query | Begin::Insert) {
                level.begin = Begin::Other;
            }
            level.reads = false;
            level.is_columns = false;
        };
        lost(&mut self.outer);
        self.levels.iter_mut().for_each(lost);
        self.next = Next::Anything;
    }

    /// A bare word, in capitals. As part of a longer name (`a.b`, `@b`) it is
    /// not a keyword.
    pub(super) fn word(&mut self, word: &[u8], is_part: bool) {
        let is_distinct = std::mem::take(&mut self.is_after_distinct);
        if is_part {
            return self.name();
        }
        let is_first = self.level().begin == Begin::Open;
        let is_outermost = self.levels.is_empty();
        let level = self.level();
        if is_first {
            level.begin = match word {
                b"SELECT" | b"WITH" | b"DELETE" => Begin::Query,
                b"INSERT" | b"REPLACE" => Begin::Insert,
                b"SET" | b"PRAGMA" if is_outermost => Begin::Setting,
                b"CREATE" | b"ALTER" if is_outermost => Begin::Definition,
                _ => Begin::Other,
            };
        }
        let before = self.next;
        let level = self.level();
        let mut next = Next::Anything;
        match word {
            b"SELECT" | b"DELETE" => {
                level.reads = matches!(level.begin, Begin::Query | Begin::Insert);
                level.is_columns = false;
            }
            b"WITH" | b"VALUES" | b"VALUE" => level.is_columns = false,
            b"FROM" if level.reads && !is_distinct => next = Next::Table,
            b"JOIN" => next = Next::Table,
            b"TABLE" => {
                level.is_columns = false;
                if level.begin == Begin::Definition {
                    level.begin = Begin::Other;
                }
                next = Next::Table;
            }
            b"UPDATE" if is_first => next = Next::Table,
            b"INTO" if level.begin == Begin::Insert => next = Next::Target,
            b"ROLE" | b"USER" | b"DATABASE" | b"SYSTEM" | b"FUNCTION" | b"PROCEDURE"
            | b"ROUTINE"
                if level.begin == Begin::Definition =>
            {
                level.begin = Begin::DefinitionWithSettings;
            }
            b"SET" if level.begin == Begin::DefinitionWithSettings => {
                level.begin = Begin::Setting;
            }
            // Some servers need no `;` between two statements.
            b"PREPARE" | b"REVOKE" | b"GRANT" | b"RESTORE" | b"BACKUP" | b"BULK" | b"COPY"
            | b"IMPORT" | b"LOAD" | b"EXEC" | b"EXECUTE" => {
                level.reads = false;
                level.begin = Begin::Other;
            }
            // A function may follow: `INTO OPENQUERY(s, "…")`.
            _ if before == Next::Target && !word.starts_with(b"OPEN") && word != b"FUNCTION" => {
                next = Next::Columns;
            }
            _ => {}
        }
        self.next = next;
        self.is_after_distinct = word == b"DISTINCT";
        self.has_assigned |= word == b"TO" && self.outer.begin == Begin::Setting;
    }

    /// A name that is not a bare word: quoted, or part of a longer one.
    pub(super) fn name(&mut self) {
        self.is_after_distinct = false;
        self.next = match self.next {
            Next::Target | Next::Columns => Next::Columns,
            _ => Next::Anything,
        };
        let level = self.level();
        if level.begin == Begin::Open {
            level.begin = Begin::Other;
        }
    }

    /// A literal, or its placeholder.
    pub(super) fn value(&mut self) {
        self.next = Next::Anything;
        self.name();
    }

    /// `(`; after `IN`, `VALUES` and the like, it opens a list of values.
    pub(super) fn open(&mut self, is_list: bool) {
        let holds_values = is_list || self.holds_values();
        let is_columns = self.next == Next::Columns;
        self.sign(b'(');
        self.levels.push(Level {
            holds_values,
            is_columns,
            ..EMPTY
        });
    }

    /// `)`; returns whether the closed list contained values.
    pub(super) fn close(&mut self) -> bool {
        self.sign(b')');
        self.levels.pop().is_some_and(|level| level.holds_values)
    }

    /// Any other sign.
    pub(super) fn sign(&mut self, sign: u8) {
        self.is_after_distinct = false;
        if sign == b'.' && self.next == Next::Columns {
            return;
        }
        self.next = Next::Anything;
        if sign == b';' {
            self.levels.clear();
            self.outer = EMPTY;
            self.has_assigned = false;
        }
        if matches!(sign, b'=' | b'(') && self.outer.begin == Begin::Setting {
            self.has_assigned = true;
        }
    }
}
