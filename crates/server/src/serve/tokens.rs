//! `xhprof store token`.

use std::io::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ::store::{Store, StoredToken};
use anyhow::{Result, anyhow, bail};

use crate::args::TokenCommand;
use cli::terminal::{printable, say};

/// Adds, lists or removes tokens of a store.
pub(super) fn token(store: &dyn Store, command: &TokenCommand) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match command {
        TokenCommand::Add {
            name,
            may,
            app,
            days,
        } => {
            let until = days.map(|days| until(days.into())).transpose()?;
            let made = ::serve::new_token(name, may, app.as_deref(), until);
            let (secret, token) = made.map_err(|error| anyhow!(error))?;
            store.add_token(&token)?;
            writeln!(out, "{secret}")?;
            say("this is the only time that the token is shown");
        }
        TokenCommand::List => {
            let now = now_us()?;
            for token in store.tokens()? {
                writeln!(out, "{}", line(&token, now))?;
            }
        }
        TokenCommand::Remove { id } => {
            let is_session = store
                .token(id)?
                .is_none_or(|token| token.session_of.is_some());
            if is_session || !store.remove_token(id)? {
                bail!("the store has no token {id}; `xhprof store token list` prints them");
            }
        }
    }
    Ok(())
}

/// A token for people: its id first, which `remove` takes.
fn line(token: &StoredToken, now_us: u64) -> String {
    let app = token.app.as_deref().unwrap_or("*");
    let ends = match token.until_us {
        None => String::new(),
        Some(until) if until <= now_us => "  ended".to_owned(),
        Some(until) => format!("  {} days left", (until - now_us).div_ceil(86_400_000_000)),
    };
    let [app, name] = [app, &token.name].map(|text| printable(text.as_bytes()));
    format!("{}  {:<16}  {app}  {name}{ends}", token.id, token.scopes)
}

fn now_us() -> Result<u64> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    Ok(u64::try_from(now.as_micros())?)
}

fn until(days: u64) -> Result<u64> {
    let lasts = Duration::from_secs(days * 86_400);
    Ok(now_us()? + u64::try_from(lasts.as_micros())?)
}
