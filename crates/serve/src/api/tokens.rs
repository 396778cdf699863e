//! The tokens of the store: who may send the runs of an application, and see them.

use std::sync::Arc;

use axum::extract::{Path, State as Shared};
use axum::http::StatusCode;
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use store::StoredToken;
use utoipa::ToSchema;

use super::questions::{Answer, for_app};
use crate::access::{Access, Caller, Token};
use crate::asking::{ask, change};
use crate::problem::Problem;
use crate::retention::now_us;
use crate::state::State;
use crate::tokens::new_token;

const DAY_US: u64 = 86_400_000_000;

/// The longest life of a token that ends: a century.
const MAX_DAYS: u32 = 36_500;

/// A token in a list. Its secret is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct ShownToken {
    /// Its id.
    pub(crate) id: String,
    /// Its name.
    pub(crate) name: String,
    /// What it may do: `read`, `write`, `admin`.
    pub(crate) scopes: Vec<String>,
    /// The only application that it may see and send; none for all.
    pub(crate) app: Option<String>,
    /// When it was made, in microseconds since 1970; none if it is in a file.
    pub(crate) created_us: Option<u64>,
    /// When it ends, in microseconds since 1970; none if it does not.
    pub(crate) until_us: Option<u64>,
    /// Whether it is in the file of `--token-file`, which only the administrator of
    /// the machine changes.
    pub(crate) is_in_file: bool,
}

impl From<&Token> for ShownToken {
    fn from(token: &Token) -> Self {
        let scopes = token.scopes.iter().map(|scope| scope.name().to_owned());
        Self {
            id: token.id(),
            name: token.name.clone(),
            scopes: scopes.collect(),
            app: token.app.clone(),
            created_us: None,
            until_us: None,
            is_in_file: true,
        }
    }
}

impl From<StoredToken> for ShownToken {
    fn from(token: StoredToken) -> Self {
        Self {
            id: token.id,
            name: token.name,
            scopes: token.scopes.split(',').map(str::to_owned).collect(),
            app: token.app,
            created_us: Some(token.created_us),
            until_us: token.until_us,
            is_in_file: false,
        }
    }
}

/// The tokens that a caller may see: of one application only those of it.
pub(crate) async fn visible_tokens(
    state: &Arc<State>,
    caller: &Caller,
) -> Result<Vec<ShownToken>, Problem> {
    let of_file = state.config.access.tokens().iter().map(ShownToken::from);
    let of_store = ask(state, |store| store.tokens()).await?;
    let all = of_file.chain(of_store.into_iter().map(ShownToken::from));
    let is_visible = |token: &ShownToken| caller.app.is_none() || caller.app == token.app;
    Ok(all.filter(is_visible).collect())
}

/// The tokens of the file and the store. A token of one application sees those of
/// this application.
#[utoipa::path(get, path = "/api/v1/tokens", responses((status = 200, body = Vec<ShownToken>)))]
pub(crate) async fn tokens(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
) -> Answer<Vec<ShownToken>> {
    Ok(Json(visible_tokens(&state, &caller).await?))
}

/// A token to make.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewToken {
    /// Its name, for lists and the log.
    pub(crate) name: String,
    /// What it may do: `read`, `write`, `admin`.
    pub(crate) scopes: Vec<String>,
    /// The only application that it may see and send; none for all. A token of one
    /// application makes tokens of this application only.
    #[serde(default)]
    pub(crate) app: Option<String>,
    /// How long it works, in days; none for ever.
    #[serde(default)]
    pub(crate) days: Option<u32>,
}

/// A token that was made.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MadeToken {
    /// Its id.
    pub(crate) id: String,
    /// The secret, which is not shown again.
    pub(crate) token: String,
}

/// Makes a token, which all servers of the store take.
#[utoipa::path(post, path = "/api/v1/tokens", request_body = NewToken, responses((status = 201, body = MadeToken), (status = 400), (status = 404), (status = 409)))]
pub(crate) async fn add_token(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Json(new): Json<NewToken>,
) -> Result<(StatusCode, Json<MadeToken>), Problem> {
    Ok((StatusCode::CREATED, Json(made(&state, &caller, new).await?)))
}

/// Makes a token for a caller.
pub(crate) async fn made(
    state: &Arc<State>,
    caller: &Caller,
    new: NewToken,
) -> Result<MadeToken, Problem> {
    if matches!(state.config.access, Access::WithoutLogin) {
        return Err(Problem::new(
            StatusCode::CONFLICT,
            "this server asks for no token; `xhprof store token add` makes the first one, and a \
             server that is started after that asks for it",
        ));
    }
    if let Some(app) = &new.app {
        for_app(caller, app)?;
    }
    let app = caller.app.clone().or(new.app);
    let until_us = match new.days {
        Some(0) => return Err(Problem::bad("days: a token works for a day at least")),
        Some(days) if days > MAX_DAYS => {
            return Err(Problem::bad(format!(
                "days: a token works for {MAX_DAYS} at most"
            )));
        }
        days => days.map(|days| now_us() + u64::from(days) * DAY_US),
    };
    let made = new_token(&new.name, &new.scopes.join(","), app.as_deref(), until_us);
    let (token, row) = made.map_err(Problem::bad)?;
    let id = row.id.clone();
    change(state, move |store| store.add_token(&row)).await?;
    tracing::info!(
        target: "audit", by = caller.name, id, name = new.name, app = app.as_deref().unwrap_or("*"),
        scopes = new.scopes.join(","), "token made"
    );
    Ok(MadeToken { id, token })
}

/// Removes a token of the store, and ends its sessions: on this server at once, on
/// others within five seconds.
#[utoipa::path(delete, path = "/api/v1/tokens/{id}", params(("id" = String, Path)), responses((status = 204), (status = 404), (status = 409)))]
pub(crate) async fn remove_token(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    removed(&state, &caller, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The token of an id, if a caller may remove it.
pub(crate) async fn removable_token(
    state: &Arc<State>,
    caller: &Caller,
    id: &str,
) -> Result<ShownToken, Problem> {
    let mut all = visible_tokens(state, caller).await?.into_iter();
    let found = all.find(|token| token.id == id);
    let missing = || Problem::new(StatusCode::NOT_FOUND, format!("there is no token {id}"));
    let found = found.ok_or_else(missing)?;
    if found.is_in_file {
        return Err(Problem::new(
            StatusCode::CONFLICT,
            format!(
                "the token {} is in the file of --token-file: remove its line and restart the \
                 server",
                found.name
            ),
        ));
    }
    Ok(found)
}

/// Removes a token for a caller.
pub(crate) async fn removed(state: &Arc<State>, caller: &Caller, id: &str) -> Result<(), Problem> {
    let found = removable_token(state, caller, id).await?;
    let id = found.id.clone();
    change(state, move |store| store.remove_token(&id)).await?;
    state.rows.forget();
    tracing::info!(
        target: "audit", by = caller.name, id = found.id, name = found.name, "token removed"
    );
    Ok(())
}
