//! The forms in which a finding is sent: plain JSON, and those of chats.
//!
//! **Invariant:** names come from outside. No form takes them for markup, a link or a mention.

use serde_json::{Value, json};

/// The form of what is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JSON with all that is known.
    Plain,
    /// An incoming webhook of Slack.
    Slack,
    /// A Workflows webhook of Microsoft Teams: an Adaptive Card.
    Teams,
    /// An incoming webhook of Mattermost, or of another chat that reads Markdown.
    Mattermost,
}

/// A finding as people read it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Message {
    /// `shop 4.7.0: more memory`.
    pub title: String,
    /// What happened, in one sentence.
    pub sentence: String,
    /// The routes: each with what it adds.
    pub routes: Vec<(String, String)>,
    /// How sure it is.
    pub proof: String,
    /// The same as Markdown.
    pub markdown: String,
    /// The path of its page, such as `/regressions?q=app:shop`.
    pub path: String,
}

/// The most routes in a message.
const MAX_ROUTES: usize = 8;

/// The longest texts: Slack takes a header of 150 characters, and sections of 3,000.
const MAX_TITLE: usize = 150;
const MAX_TEXT: usize = 2000;

impl Format {
    /// The form that the receiver at an address reads.
    #[must_use]
    pub fn of_address(url: &str) -> Self {
        let host = url.split_once("://").map_or(url, |(_, rest)| rest);
        let host = host.split(['/', '?', '#']).next().unwrap_or_default();
        let host = host.rsplit('@').next().unwrap_or_default();
        let host = host
            .split(':')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        let is_below = |domain: &str| {
            let rest = host.strip_suffix(domain);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        if is_below("hooks.slack.com") {
            Self::Slack
        } else if ["logic.azure.com", "powerplatform.com", "webhook.office.com"]
            .iter()
            .any(|domain| is_below(domain))
        {
            Self::Teams
        } else {
            Self::Plain
        }
    }

    /// Its name in settings and answers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Slack => "slack",
            Self::Teams => "teams",
            Self::Mattermost => "mattermost",
        }
    }

    /// What is sent. `base` is the address of this server, for links.
    pub(crate) fn body(self, plain: &Value, message: &Message, base: Option<&str>) -> Value {
        let link = base.map(|base| format!("{}{}", base.trim_end_matches('/'), message.path));
        match self {
            Self::Plain => match (link, plain.clone()) {
                (Some(link), Value::Object(mut fields)) => {
                    fields.insert("url".to_owned(), link.into());
                    Value::Object(fields)
                }
                (_, plain) => plain,
            },
            Self::Slack => slack(message, link.as_deref()),
            Self::Teams => teams(message, link),
            Self::Mattermost => mattermost(message, link.as_deref()),
        }
    }
}

impl Message {
    fn shown(&self) -> impl Iterator<Item = &(String, String)> {
        self.routes.iter().take(MAX_ROUTES)
    }

    /// Says how many routes are left out.
    fn more(&self) -> Option<String> {
        let more = self.routes.len().saturating_sub(MAX_ROUTES);
        (more > 0).then(|| format!("and {more} more routes"))
    }
}

fn slack(message: &Message, link: Option<&str>) -> Value {
    let plain = |text: &str, most| json!({ "type": "plain_text", "text": cut(text, most) });
    let marked = |text: &str| json!({ "type": "mrkdwn", "text": cut(text, MAX_TEXT) });
    let mut blocks = vec![
        json!({ "type": "header", "text": plain(&message.title, MAX_TITLE) }),
        json!({ "type": "section", "text": plain(&message.sentence, MAX_TEXT) }),
    ];
    let routes = message.shown().map(|(route, cost)| {
        let (route, cost) = (slack_text(route), slack_text(cost));
        marked(&format!("*{route}*\n{cost}"))
    });
    let fields: Vec<Value> = routes.collect();
    if !fields.is_empty() {
        blocks.push(json!({ "type": "section", "fields": fields }));
    }
    let mut notes = vec![plain(&message.proof, MAX_TEXT)];
    notes.extend(message.more().map(|more| plain(&more, MAX_TEXT)));
    blocks.push(json!({ "type": "context", "elements": notes }));
    if let Some(link) = link {
        blocks.push(json!({
            "type": "actions",
            "elements": [{ "type": "button", "text": plain("Open", 75), "url": link }],
        }));
    }
    // Shown in notifications, as marked text.
    let text = format!("{}: {}", message.title, message.sentence);
    json!({ "text": cut(&slack_text(&text), MAX_TEXT), "blocks": blocks })
}

/// Text for Slack: its own marks need `<`, and a star within a name marks nothing that matters.
fn slack_text(text: &str) -> String {
    let text = text.replace('&', "&amp;");
    text.replace('<', "&lt;").replace('>', "&gt;")
}

fn teams(message: &Message, link: Option<String>) -> Value {
    // A text block reads some Markdown: a backslash before its marks shows them.
    let block = |text: &str| json!({ "type": "TextBlock", "text": cut(&markdown_text(text), MAX_TEXT), "wrap": true });
    let mut title = block(&message.title);
    title["size"] = "Large".into();
    title["weight"] = "Bolder".into();
    let facts = message.shown().map(|(route, cost)| {
        json!({ "title": cut(route, MAX_TITLE), "value": cut(&markdown_text(cost), MAX_TEXT) })
    });
    let facts: Vec<Value> = facts.collect();
    let mut body = vec![title, block(&message.sentence)];
    if !facts.is_empty() {
        body.push(json!({ "type": "FactSet", "facts": facts }));
    }
    body.extend(message.more().map(|more| block(&more)));
    let mut proof = block(&message.proof);
    proof["isSubtle"] = true.into();
    body.push(proof);
    let actions = link.map(|url| json!({ "type": "Action.OpenUrl", "title": "Open", "url": url }));
    let actions: Vec<Value> = actions.into_iter().collect();
    json!({
        "type": "message",
        "attachments": [{
            "contentType": "application/vnd.microsoft.card.adaptive",
            "contentUrl": null,
            "content": {
                "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
                "type": "AdaptiveCard",
                "version": "1.4",
                "body": body,
                "actions": actions,
            },
        }],
    })
}

fn mattermost(message: &Message, link: Option<&str>) -> Value {
    let link = link.map_or_else(String::new, |link| format!("\n[Open]({link})\n"));
    json!({ "text": format!("{}{link}", message.markdown) })
}

/// Text that Markdown shows as it is.
fn markdown_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if "\\`*_[]<>#~|@".contains(letter) {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

/// The first characters of a text.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(most - 1).collect();
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(routes: usize) -> Message {
        Message {
            title: "shop 4.7.0: more memory".to_owned(),
            sentence: "<!channel> *f* takes more".to_owned(),
            routes: (0..routes)
                .map(|number| {
                    (
                        format!("/a<{number}>"),
                        "+1 ms, +2.0 % of the route".to_owned(),
                    )
                })
                .collect(),
            proof: "found after one day; 9.0 standard errors".to_owned(),
            markdown: "### shop".to_owned(),
            path: "/regressions?q=app:shop".to_owned(),
        }
    }

    #[test]
    fn the_form_is_that_of_the_receiver() {
        for (url, format) in [
            ("https://hooks.slack.com/services/T/B/x", Format::Slack),
            ("https://HOOKS.slack.com:443/x", Format::Slack),
            (
                "https://prod-1.westeurope.logic.azure.com:443/workflows/x",
                Format::Teams,
            ),
            (
                "https://a.b.environment.api.powerplatform.com/x",
                Format::Teams,
            ),
            ("https://firm.webhook.office.com/webhookb2/x", Format::Teams),
            ("https://evilhooks.slack.com/x", Format::Plain),
            ("https://hooks.slack.com.example.com/x", Format::Plain),
            ("https://example.com/?a=hooks.slack.com", Format::Plain),
            ("http://hooks.slack.com@example.com/", Format::Plain),
        ] {
            assert_eq!(Format::of_address(url), format, "{url}");
        }
    }

    #[test]
    fn slack_gets_blocks_and_no_marks_of_names() {
        let body = slack(&message(12), Some("https://x/regressions?q=app:shop"));
        let blocks = body["blocks"].as_array().unwrap();
        let kinds: Vec<&str> = blocks.iter().filter_map(|of| of["type"].as_str()).collect();
        assert_eq!(
            kinds,
            ["header", "section", "section", "context", "actions"]
        );
        // At most ten fields are taken.
        assert_eq!(blocks[2]["fields"].as_array().unwrap().len(), 8);
        assert_eq!(blocks[3]["elements"][1]["text"], "and 4 more routes");
        assert_eq!(blocks[1]["text"]["type"], "plain_text");
        assert!(body["text"].as_str().unwrap().contains("&lt;!channel&gt;"));
        assert!(
            blocks[2]["fields"][0]["text"]
                .as_str()
                .unwrap()
                .starts_with("*/a&lt;0&gt;*")
        );
    }

    #[test]
    fn teams_get_an_adaptive_card() {
        let body = teams(&message(2), None);
        assert_eq!(body["type"], "message");
        let card = &body["attachments"][0];
        assert_eq!(
            card["contentType"],
            "application/vnd.microsoft.card.adaptive"
        );
        let content = &card["content"];
        assert_eq!(
            (&content["type"], &content["version"]),
            (&"AdaptiveCard".into(), &"1.4".into())
        );
        assert_eq!(content["body"][0]["weight"], "Bolder");
        assert_eq!(
            content["body"][1]["text"],
            "\\<!channel\\> \\*f\\* takes more"
        );
        assert_eq!(content["body"][2]["facts"].as_array().unwrap().len(), 2);
        assert_eq!(content["actions"], Value::Array(Vec::new()));
    }

    #[test]
    fn plain_has_all_fields_and_a_link() {
        let plain = json!({ "id": "1" });
        let body = |base| Format::Plain.body(&plain, &message(0), base);
        assert_eq!(body(None), plain);
        assert_eq!(
            body(Some("https://x/"))["url"],
            "https://x/regressions?q=app:shop"
        );
        let text = Format::Mattermost.body(&plain, &message(0), Some("https://x"));
        assert_eq!(
            text,
            json!({ "text": "### shop\n[Open](https://x/regressions?q=app:shop)\n" })
        );
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(cut("äöü", 3), "äöü");
        assert_eq!(cut("äöüß", 3), "äö…");
    }
}
