//! `xhprof agent`: the command line of the agent.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ::agent::{Options, Protocol, Target};
use anyhow::{Context, Result, anyhow, bail};

use crate::args::AgentArguments;
use crate::secret::secret;
use crate::serve::tags;

/// Sends profiles until it is told to end.
pub(crate) fn run(arguments: &AgentArguments) -> Result<()> {
    ::serve::log();
    let queue = match &arguments.queue {
        Some(queue) => queue.clone(),
        None => default_queue()?,
    };
    let options = Options {
        queue_bytes: arguments.queue_size,
        refused_bytes: arguments.refused_size,
        batch_age: Duration::from_secs(arguments.batch_age.into()),
        bandwidth: arguments.bandwidth,
        connections: arguments.connections,
        slow: Duration::from_millis(arguments.slow.into()),
        drain: Duration::from_secs(arguments.drain.into()),
        nice: arguments.nice,
        metrics: arguments.metrics,
        ca_file: arguments.ca_file.clone(),
        attach: arguments.attach,
        tags: tags(&arguments.tags),
        ..Options::new(arguments.spool.clone(), targets(arguments)?, queue)
    };
    Ok(::agent::run(options)?)
}

/// The servers, each with its token.
fn targets(arguments: &AgentArguments) -> Result<Vec<Target>> {
    let (servers, files) = (arguments.to.len(), &arguments.token_file);
    if files.len() > 1 && files.len() != servers {
        bail!(
            "--token-file is given {} times, and --to {servers} times: use one file for all, or one \
             for each",
            files.len()
        );
    }
    let token = std::env::var("XHPROF_TOKEN");
    let token = token.ok().filter(|token| !token.is_empty());
    let targets = arguments.to.iter().enumerate().map(|(number, url)| Target {
        url: url.trim_end_matches('/').to_owned(),
        token_file: files.get(number).or(files.first()).cloned(),
        token: token.clone().filter(|_| files.is_empty()),
        protocol: Protocol::Xhprof,
    });
    let mut targets: Vec<_> = targets.collect();
    targets.extend(forwards(arguments)?);
    Ok(targets)
}

/// The other receivers, each with its headers.
fn forwards(arguments: &AgentArguments) -> Result<Vec<Target>> {
    let (receivers, files) = (arguments.forward.len(), &arguments.forward_token_file);
    if files.len() > 1 && files.len() != receivers {
        bail!(
            "--forward-token-file is given {} times, and --forward {receivers} times: use one file \
             for all, or one for each",
            files.len()
        );
    }
    let targets = arguments.forward.iter().enumerate().map(|(number, text)| {
        let (protocol, url) = match text.split_once('=') {
            Some(("pyroscope", url)) => (Protocol::Pyroscope, url),
            Some(("otlp", url)) => (Protocol::Otlp, url),
            Some(("sentry", file)) => return sentry(Path::new(file)),
            _ => bail!("--forward {text}: use pyroscope=URL, otlp=URL or sentry=FILE"),
        };
        Ok(Target {
            protocol,
            url: url.trim_end_matches('/').to_owned(),
            token_file: files.get(number).or(files.first()).cloned(),
            token: None,
        })
    });
    targets.collect()
}

/// The project whose DSN a file has.
fn sentry(file: &Path) -> Result<Target> {
    let target = Target::of_dsn(&secret(file)?);
    target.with_context(|| {
        format!(
            "{}: it has no DSN, such as https://KEY@o1.ingest.sentry.io/42",
            file.display()
        )
    })
}

/// The folder of the queue, if none was named.
fn default_queue() -> Result<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    if let Some(folders) = set("STATE_DIRECTORY") {
        // systemd separates several by colons.
        let first = std::env::split_paths(&folders).next();
        return first.ok_or_else(|| anyhow!("STATE_DIRECTORY names no folder"));
    }
    let state = set("XDG_STATE_HOME").map(PathBuf::from);
    let state = state.or_else(|| Some(PathBuf::from(set("HOME")?).join(".local/state")));
    let state = state.ok_or_else(|| anyhow!("there is no home directory; use --queue DIR"))?;
    Ok(state.join("xhprof-agent"))
}
