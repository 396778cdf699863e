//! `xhprof serve`, and what goes into a store without it.

mod policies;
mod push;
mod sent;
mod store_commands;
mod tokens;

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use ::serve::{Access, Config, Demo, Format, Readers, Trigger, Watch, Webhook};
use ::store::Store;
use anyhow::{Context, Result, bail};
use cli::terminal::say;

use crate::args::{RunTags, ServeArguments};
use crate::regressions;
use crate::secret::secret;
use crate::store_place::StorePlace;

pub(crate) use push::{push, token};
pub(crate) use store_commands::{import, store};

/// The argument of a process that reads uploads.
pub(crate) const READ_UPLOADS: &str = "read-uploads";

/// Serves until it is interrupted.
pub(crate) fn serve(arguments: &ServeArguments) -> Result<()> {
    if let (Some(token), Some(file)) = (&arguments.add_token, &arguments.token_file) {
        return add_token(file, token);
    }
    ::serve::give_memory_back();
    let trigger = trigger(arguments)?;
    let temporary = arguments.demo.then(tempfile::tempdir).transpose()?;
    let place = match &temporary {
        Some(folder) => StorePlace::Folder(folder.path().join("store")),
        None => StorePlace::of(&arguments.folder)?,
    };
    ::serve::log();
    let store = place.open()?;
    let access = access(arguments, &*store)?;
    let demo = arguments.demo.then(|| Arc::new(Demo::default()));
    if let Some(demo) = demo.clone() {
        let store = Arc::clone(&store);
        std::thread::spawn(move || demo.fill(&store));
    }
    let memory = arguments.memory.unwrap_or_else(::serve::default_memory);
    let readers = Arc::new(Readers::in_processes(reader).within(memory));
    let undelivered = Arc::default();
    if !arguments.watch.is_empty() {
        ::serve::watch(Watch {
            readers: Arc::clone(&readers),
            folders: arguments.watch.clone(),
            keep: arguments.keep,
            store: Arc::clone(&store),
        })?;
    }
    if !arguments.demo {
        ::serve::retain_regularly(Arc::clone(&store))?;
    }
    let webhook = arguments.webhook.as_ref();
    let webhook = webhook.map(|url| webhook_to(arguments, url).map(Arc::new));
    let webhook = webhook.transpose()?;
    if let Some(webhook) = webhook.clone() {
        ::serve::send_findings(webhook, Arc::clone(&store), Arc::clone(&undelivered))?;
    }
    let is_tls = arguments.tls_cert.is_some();
    let config = Config {
        store,
        readers,
        listen: arguments.listen,
        access,
        hosts: arguments.host.clone(),
        proxies: arguments.proxy.clone(),
        tls: arguments.tls_cert.clone().zip(arguments.tls_key.clone()),
        demo,
        findings: Box::new(|store, app| {
            regressions::findings(store, app).map_err(|error| format!("{error:#}"))
        }),
        webhook,
        undelivered,
        trigger,
        trace_url: arguments.trace_url.clone(),
    };
    let served = ::serve::serve(config, |address| {
        let scheme = if is_tls { "https" } else { "http" };
        let mut out = std::io::stdout().lock();
        // Without a reader of the address the server works nevertheless.
        let _ = writeln!(out, "{scheme}://{address}/\nCtrl-C ends it.");
        let _ = out.flush();
    });
    served.with_context(|| format!("cannot serve on {}", arguments.listen))
}

/// Who may use the server: the owners of the tokens of a file, and of the store.
fn access(arguments: &ServeArguments, store: &dyn Store) -> Result<Access> {
    if let Some(file) = &arguments.token_file {
        let tokens = ::serve::read_tokens(file);
        return Ok(Access::Tokens(tokens.context("cannot read the tokens")?));
    }
    if arguments.no_auth {
        return Ok(Access::WithoutLogin);
    }
    if !store.tokens()?.is_empty() {
        return Ok(Access::Tokens(Vec::new()));
    }
    if !arguments.listen.ip().is_loopback() {
        bail!(
            "other machines can reach {}: `xhprof store token add` makes a token, --token-file names \
             a file with tokens, --no-auth asks for nothing",
            arguments.listen
        );
    }
    Ok(Access::WithoutLogin)
}

/// How a request asks PHP for a profile.
fn trigger(arguments: &ServeArguments) -> Result<Trigger> {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    let name = arguments.trigger.clone();
    if name.is_empty() || !name.chars().all(is_name) {
        bail!("--trigger {name}: use letters, digits, - and _, as in xhprof.trigger");
    }
    let secret = arguments.trigger_secret_file.as_deref().map(secret);
    Ok(Trigger {
        name,
        secret: secret.transpose()?,
    })
}

fn webhook_to(arguments: &ServeArguments, url: &str) -> Result<Webhook> {
    let headers = arguments.webhook_headers.as_deref();
    let headers = headers.map(::serve::read_headers).transpose()?;
    let format = arguments.webhook_format.map(Format::from);
    Ok(Webhook {
        url: url.to_owned(),
        format: format.unwrap_or_else(|| Format::of_address(url)),
        base: arguments.public_url.clone(),
        last_sent_us: AtomicU64::new(0),
        headers: headers.unwrap_or_default(),
        every: Duration::from_secs(arguments.webhook_every.saturating_mul(60)),
        notices: Box::new(|store, app| {
            regressions::notices(store, app).map_err(|error| format!("{error:#}"))
        }),
    })
}

/// A process that reads uploads: this program.
fn reader() -> Command {
    // Also if its file was replaced by that of a later version since.
    let mut command = Command::new("/proc/self/exe");
    command.arg(READ_UPLOADS).env_clear();
    command
}

/// What such a process does.
pub(crate) fn read_uploads() -> Result<()> {
    ::serve::read_uploads().context("reading uploads")
}

fn add_token(file: &Path, token: &str) -> Result<()> {
    let mut parts = token.splitn(3, ':');
    let (Some(name), Some(scopes)) = (parts.next(), parts.next()) else {
        bail!("{token}: use NAME:SCOPES, such as ci:read,write, or NAME:SCOPES:APP");
    };
    let secret = ::serve::add_token(file, name, scopes, parts.next());
    let secret = secret.with_context(|| format!("cannot add a token to {}", file.display()))?;
    writeln!(std::io::stdout(), "{secret}")?;
    say("this is the only time that the token is shown");
    Ok(())
}

/// The tags of the command line by name.
pub(crate) fn tags(tags: &RunTags) -> Vec<(String, String)> {
    let texts = [("app", &tags.app), ("release", &tags.release)];
    let texts = texts.into_iter();
    let mut all: Vec<_> = texts
        .filter_map(|(name, value)| Some((name.to_owned(), value.clone()?)))
        .collect();
    all.extend(tags.rate.map(|rate| ("rate".to_owned(), rate.to_string())));
    all
}
