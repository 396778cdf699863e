//! Tokens and sessions, and what counts for quotas.

use super::literal::text;
use super::rows::{RowReader, RowWriter};
use super::{Inner, now_us};
use crate::{Error, Result, StoredToken, Taken};

const DAY_US: u64 = 86_400_000_000;

/// How long the counts of a day are kept, in days.
const KEPT_DAYS: u64 = 40;

const COLUMNS: &str = "id, name, scopes, app, hash, created, until, session_of";

impl Inner {
    /// Adds a token, or a session.
    pub(super) fn add_token(&self, token: &StoredToken) -> Result<()> {
        token.check()?;
        if self.token(&token.id)?.is_some() {
            return Err(Error::Query("id: there is such a token".to_owned()));
        }
        let (kind, condition) = match token.session_of {
            Some(_) => ("open sessions", "session_of != ''"),
            None => ("tokens", "session_of = ''"),
        };
        let bytes = self.client.read(&format!(
            "SELECT count() FROM {} FINAL WHERE gone = 0 AND {condition}
             AND (until = 0 OR until > {})",
            self.all("token"),
            token.created_us
        ))?;
        let most = StoredToken::MAX_TOKENS;
        if RowReader::new(&bytes).u64()? >= most as u64 {
            return Err(Error::Query(format!("a store has at most {most} {kind}")));
        }
        let mut row = RowWriter::default();
        row.text(&token.id).u64(now_us()).u8(0);
        row.text(&token.name).text(&token.scopes);
        row.text(token.app.as_deref().unwrap_or_default());
        row.fixed(token.hash).u64(token.created_us);
        row.u64(token.until_us.unwrap_or(0));
        row.text(token.session_of.as_deref().unwrap_or_default());
        let into = self.all("token")
            + " (id, version, gone, name, scopes, app, hash, created, until, session_of)";
        self.client.insert(&into, &row.bytes)
    }

    /// The token, or session, with that id.
    pub(super) fn token(&self, id: &str) -> Result<Option<StoredToken>> {
        Ok(self.tokens_of(&format!("id = {}", text(id)))?.pop())
    }

    /// All tokens, without sessions.
    pub(super) fn tokens(&self) -> Result<Vec<StoredToken>> {
        self.tokens_of("session_of = ''")
    }

    /// Those that had not ended when the newest was made.
    fn tokens_of(&self, condition: &str) -> Result<Vec<StoredToken>> {
        let table = self.all("token");
        let bytes = self.client.read(&format!(
            "SELECT {COLUMNS} FROM {table} FINAL WHERE {condition} AND gone = 0
             AND (until = 0 OR until > (SELECT max(created) FROM {table}))
             ORDER BY name, id"
        ))?;
        let some = |text: String| Some(text).filter(|text| !text.is_empty());
        let mut tokens = Vec::new();
        let mut answer = RowReader::new(&bytes);
        while answer.has_more() {
            tokens.push(StoredToken {
                id: answer.text()?,
                name: answer.text()?,
                scopes: answer.text()?,
                app: some(answer.text()?),
                hash: answer.fixed()?,
                created_us: answer.u64()?,
                until_us: Some(answer.u64()?).filter(|until| *until > 0),
                session_of: some(answer.text()?),
            });
        }
        Ok(tokens)
    }

    /// Removes a token with its sessions, or a session.
    pub(super) fn remove_token(&self, id: &str) -> Result<bool> {
        let is_there = self.token(id)?.is_some();
        let (now, id) = (now_us(), text(id));
        self.client.execute(&format!(
            "INSERT INTO {token} (version, gone, {COLUMNS})
             SELECT if(version < {now}, toUInt64({now}), version + 1), toUInt8(1), {COLUMNS}
             FROM {token} FINAL WHERE gone = 0 AND (id = {id} OR session_of = {id})",
            token = self.all("token")
        ))?;
        Ok(is_there)
    }

    /// What was stored of an application on the day of an instant.
    pub(super) fn taken(&self, app: &str, at_us: u64) -> Result<Taken> {
        let bytes = self.client.read(&format!(
            "SELECT count(), sum(bytes) FROM {} FINAL WHERE day = {} AND app = {}",
            self.all("taken"),
            at_us / DAY_US,
            text(app)
        ))?;
        let mut answer = RowReader::new(&bytes);
        Ok(Taken {
            runs: answer.u64()?,
            bytes: answer.u64()?,
        })
    }

    /// Drops the counts of days long ago.
    pub(super) fn forget_taken(&self) -> Result<()> {
        let table = self.all("taken");
        let bytes = self.client.read(&format!(
            "SELECT DISTINCT day FROM {table}
             WHERE day + {KEPT_DAYS} < (SELECT max(day) FROM {table})"
        ))?;
        let mut answer = RowReader::new(&bytes);
        while answer.has_more() {
            super::schema::drop_partition(&self.client, "taken", answer.u32()?)?;
        }
        Ok(())
    }
}
