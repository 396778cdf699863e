//! What the readers of one application see of another: nothing.
//!
//! All names of the other application have one word in them. Every route is asked
//! with many questions, and no answer may have the word. Questions that name
//! something of the other application must get the answer that a name gets which
//! does not exist.

use axum::http::StatusCode;
use serve::{Scope, new_token, routes};
use simulate::{RunAt, SmallShop};
use store::{DroppedRuns, Policy, RunId};

use super::server::{Answer, Server, locked, run};

/// The word in all names of the other application, and one of no application.
const THEIRS: &str = "zebra";
const NOBODYS: &str = "gnome";

const JSON: (&str, &str) = ("content-type", "application/json");

struct Two {
    server: Server,
    /// A reader, and an administrator, of `shop`.
    tokens: [String; 2],
    /// A run of `shop`, and one of the other application.
    ours: String,
    theirs: RunId,
    their_token: String,
}

fn their_run(number: u64) -> Vec<u8> {
    let shop = SmallShop {
        app: format!("{THEIRS}-app"),
        paths: 40,
        releases: vec![format!("{THEIRS}-1"), format!("{THEIRS}-2")],
        ..SmallShop::default()
    };
    let mut profile = shop.run(RunAt {
        number,
        route: 1,
        release: usize::from(number > 5),
        started_us: 1_793_491_200_000_000 + number * 1_000_000,
    });
    for symbol in profile.symbols.iter_mut().skip(1) {
        let name = format!("{THEIRS}::{}", String::from_utf8_lossy(&symbol.name));
        symbol.name = name.into_bytes().into();
        symbol.file = Some(format!("/srv/{THEIRS}/a.php").into_bytes().into());
    }
    let mut bytes = Vec::new();
    profile::native::write(&profile, &mut bytes).unwrap();
    bytes
}

/// A store with runs, labels, policies, tokens, dropped, refused and removed runs of
/// two applications.
fn two() -> Two {
    let (server, _) = locked().with_owner_of_shop();
    let names = ["host", "title", "route"].map(|name| format!("x-xhprof-{name}"));
    let value = format!("/{THEIRS}/page");
    let tag = format!("colour={THEIRS}");
    let boss = format!("Bearer {}", server.tokens[2]);
    let mut headers: Vec<_> = names.iter().map(|name| (&**name, &*value)).collect();
    headers.push(("x-xhprof-tag", &tag));
    headers.push(("authorization", &boss));
    let (store, app) = (&server.store, format!("{THEIRS}-app"));
    let policy = Policy {
        runs: Some(8),
        notable: 0,
        runs_a_day: Some(12),
        ..Policy::default()
    };
    store.set_policy(Some(&app), Some(&policy)).unwrap();
    let mut last = String::new();
    for number in 0..12 {
        let answer = server.send("POST", "/api/v1/runs", &headers, their_run(number));
        assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
        last = answer.json()["runs"][0]["id"].as_str().unwrap().to_owned();
    }
    let mut ours = String::new();
    for number in 0..12 {
        let answer = server.as_owner(3, "POST", "/api/v1/runs", run(number));
        ours = answer.json()["runs"][0]["id"].as_str().unwrap().to_owned();
    }
    let theirs: RunId = last.parse().unwrap();
    store.label(&theirs, &format!("{THEIRS} label")).unwrap();
    let removed = store.retain(&app, &policy, 1_793_491_200_000_000).unwrap();
    assert!(removed.runs > 0);
    let dropped = DroppedRuns {
        agent: format!("{THEIRS}-agent"),
        host: format!("{THEIRS}-host"),
        day_s: 1_793_491_200,
        app: app.clone(),
        reason: format!("{THEIRS}_reason"),
        runs: 7,
        bytes: 7,
    };
    store.note_dropped(&[dropped]).unwrap();
    let make = |name: &str, scopes: &str, app: &str| {
        let (secret, row) = new_token(name, scopes, Some(app), None).unwrap();
        store.add_token(&row).unwrap();
        (secret, row.id)
    };
    let (their_secret, their_token) = make(&format!("{THEIRS}-token"), "read,write,admin", &app);
    let (reader, _) = make("reader of shop", "read", "shop");
    let (owner, _) = make("owner of shop", "read,write,admin", "shop");
    // A refused upload of theirs, and one beyond their quota.
    let bearer = format!("Bearer {their_secret}");
    let bearer = [("authorization", &*bearer)];
    let over = server.send("POST", "/api/v1/runs", &bearer, their_run(100));
    assert_eq!(over.status, StatusCode::TOO_MANY_REQUESTS);
    store
        .set_policy(
            Some(&app),
            Some(&Policy {
                runs_a_day: None,
                ..policy
            }),
        )
        .unwrap();
    Two {
        tokens: [reader, owner],
        ours,
        theirs,
        their_token,
        server,
    }
}

impl Two {
    fn ask(&self, token: &str, method: &str, path: &str, kind: (&str, &str), body: &str) -> Answer {
        let bearer = format!("Bearer {token}");
        let headers = [("authorization", &*bearer), kind];
        self.server.send(method, path, &headers, body.into())
    }
}

/// Whether an answer has their word, also in its headers, and in a native file.
fn tells(answer: &Answer) -> bool {
    let has_it = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).to_lowercase();
        text.contains(THEIRS)
    };
    let file = profile::native::read(&answer.body[..], &profile::native::Limits::default());
    let names = file.into_iter().flat_map(|profile| profile.symbols);
    has_it(&answer.body)
        || answer
            .headers
            .values()
            .any(|value| has_it(value.as_bytes()))
        || names.into_iter().any(|symbol| has_it(&symbol.name))
}

#[test]
fn no_answer_has_a_name_of_another_application() {
    let two = two();
    let (ours, theirs) = (&two.ours, two.theirs);
    let questions = [
        String::new(),
        "q=".to_owned(),
        "q=route:*".to_owned(),
        "q=release:*%20host:*".to_owned(),
        "q=label:*".to_owned(),
        "q=tag.colour:*".to_owned(),
        "q=wall:%3E1us&sort=wall&limit=1000".to_owned(),
        "q=app:shop".to_owned(),
        "q=page".to_owned(),
        format!("q=run:{theirs}"),
        format!("q=run:{theirs}%20run:{ours}"),
        "name=main()&q=route:*".to_owned(),
        "name=main()&name=PDO::query".to_owned(),
        "before=route:*&after=route:*".to_owned(),
        "before=since:900d&after=since:1d".to_owned(),
        format!("base={ours}&new={theirs}"),
        format!("base={theirs}&new={ours}"),
        format!("run={ours}&run={theirs}"),
        format!("run={theirs}"),
        format!("run1={ours}&run2={theirs}"),
        "app=shop".to_owned(),
        "app=".to_owned(),
        "text=zeb".to_owned(),
        "text=r&per=run".to_owned(),
        "days=60000".to_owned(),
        "step=hour".to_owned(),
        "url=https://example.com/".to_owned(),
    ];
    let mut asked = 0;
    for (route, _) in routes() {
        for (method, scope) in route.methods {
            if *method != "GET" || *scope == Scope::Open {
                continue;
            }
            for id in [ours.clone(), theirs.to_string(), "*".to_owned()] {
                let path = route.path.replace("{id}", &id);
                for (question, token) in questions
                    .iter()
                    .flat_map(|one| two.tokens.each_ref().map(|token| (one, token)))
                {
                    let path = format!("{path}?{question}");
                    let answer = two.ask(token, "GET", &path, JSON, "");
                    assert!(!tells(&answer), "{path}: {}", answer.text());
                    assert!(!answer.status.is_server_error(), "{path}");
                    asked += usize::from(answer.status.is_success());
                }
                if path == route.path {
                    break;
                }
            }
        }
    }
    // Most questions have answers.
    assert!(asked > 500, "{asked}");
    // The other side does have these names: the questions find them.
    let boss = &two.server.tokens[2];
    for path in [
        "/api/v1/session",
        "/api/v1/pages/home?q=since:2000-01-01",
        "/api/v1/pages/routes",
        "/api/v1/pages/route?q=route:*",
        "/api/v1/pages/settings",
        "/api/v1/pages/regressions",
        "/api/v1/pages/function?name=main()",
        "/api/v1/pages/compare?before=app:shop&after=app:zebra-app",
        "/api/v1/pages/compare/proposals",
        "/api/v1/search?text=zebra",
        "/api/v1/facets",
        "/api/v1/series",
        "/api/v1/runs",
        "/api/v1/apps",
        "/api/v1/routes",
        "/api/v1/routes/days",
        "/api/v1/releases",
        "/api/v1/functions",
        "/api/v1/function?name=main()",
        "/api/v1/tree",
        "/api/v1/diff",
        "/api/v1/policies",
        "/api/v1/removals?days=60000",
        "/api/v1/tokens",
        "/api/v1/dropped?days=60000",
    ] {
        assert!(tells(&two.ask(boss, "GET", path, JSON, "")), "{path}");
    }
}

/// The answer to a question about something of theirs, and about nothing, without
/// the names in the question.
fn check_the_same(two: &Two, method: &str, path: &str, kind: (&str, &str), body: &str) {
    let absent = [
        (THEIRS.to_owned(), NOBODYS),
        (two.theirs.to_string(), "00112233445566778899aabbccddeeff"),
        (two.their_token.clone(), "0011223344556677"),
    ];
    let replaced = |text: &str| {
        let all = absent.iter();
        all.fold(text.to_owned(), |text, (real, other)| {
            text.replace(real, other)
        })
    };
    for token in &two.tokens {
        let about = format!("{method} {path} {body}");
        let ask = || {
            let real = two.ask(token, method, path, kind, body);
            let none = two.ask(token, method, &replaced(path), kind, &replaced(body));
            assert_eq!(real.status, none.status, "{about}");
            assert_ne!(real.status, StatusCode::CREATED, "{about}");
            (replaced(&real.text()), none.text())
        };
        // Requests a minute are those up to this second: the second answer may be of the next one. What
        // an answer tells of others, it tells each time.
        let answers = (0..10).map(|_| ask());
        let differs = |(real, none): &(String, String)| real != none;
        let differing: Vec<_> = answers.take_while(differs).collect();
        assert!(differing.len() < 10, "{about}: {:?}", differing.last());
    }
}

#[test]
fn what_is_of_another_application_is_as_if_it_did_not_exist() {
    let two = two();
    let (ours, theirs, their_token) = (&two.ours, two.theirs, &two.their_token);
    let questions = [
        "q=app:zebra-app".to_owned(),
        "q=release:zebra-1".to_owned(),
        "q=route:/zebra/page".to_owned(),
        "q=host:/zebra/page".to_owned(),
        "q=label:zebra*".to_owned(),
        "q=tag.colour:zebra".to_owned(),
        "q=zebra".to_owned(),
        format!("q=run:{theirs}"),
        "name=zebra::PDO::query&q=route:*".to_owned(),
        "before=app:zebra-app&after=route:*".to_owned(),
        "before=release:zebra-1&after=release:zebra-2".to_owned(),
        format!("base={ours}&new={theirs}"),
        format!("run={ours}&run={theirs}"),
        format!("run={theirs}&source=zebra"),
        "app=zebra-app".to_owned(),
        "app=zebra-app&route=/zebra/page".to_owned(),
        "text=zebra".to_owned(),
        format!("text={theirs}"),
        format!("name={their_token}"),
    ];
    for (route, _) in routes() {
        for (method, scope) in route.methods {
            let path = route.path.replace("{app}", "zebra-app");
            let path = path.replace("tokens/{id}", &format!("tokens/{their_token}"));
            let path = path.replace("{id}", &theirs.to_string());
            if *method == "GET" && *scope != Scope::Open {
                for question in &questions {
                    check_the_same(&two, method, &format!("{path}?{question}"), JSON, "");
                }
            } else if route.path.contains('{') {
                check_the_same(&two, method, &path, JSON, "{}");
                check_the_same(&two, method, &path, JSON, r#"{"label":"ours"}"#);
            }
        }
    }
    for (method, path, kind, body) in [
        (
            "POST",
            "/api/v1/retain",
            JSON,
            r#"{"app":"zebra-app"}"#.to_owned(),
        ),
        (
            "POST",
            "/api/v1/retain",
            JSON,
            r#"{"app":"zebra-app","dry_run":true}"#.to_owned(),
        ),
        (
            "POST",
            "/api/v1/tokens",
            JSON,
            r#"{"app":"zebra-app","name":"x","scopes":["read"]}"#.to_owned(),
        ),
    ] {
        check_the_same(&two, method, path, kind, &body);
    }
    // All of it is still there.
    let store = &two.server.store;
    assert_eq!(
        store.run(&theirs).unwrap().unwrap().info.label,
        "zebra label"
    );
    assert_eq!(store.policies().unwrap().of("zebra-app").runs, Some(8));
    assert!(store.token(their_token).unwrap().is_some());
}

#[test]
fn what_a_sender_says_of_another_application_becomes_its_own() {
    let two = two();
    let runs = two.server.store.apps().unwrap();
    let theirs = |apps: &[store::AppInfo]| {
        let mut apps = apps.iter();
        apps.find(|app| app.name == "zebra-app").map(|app| app.runs)
    };
    let before = theirs(&runs);
    let bearer = format!("Bearer {}", two.tokens[1]);
    let headers = [("authorization", &*bearer), ("x-xhprof-app", "zebra-app")];
    let answer = two
        .server
        .send("POST", "/api/v1/runs", &headers, their_run(50));
    assert_eq!(answer.status, StatusCode::CREATED);
    let report = r#"{"agent":"a","host":"h","dropped":[{"day_s":1793491200,"app":"zebra-app","reason":"refused","runs":5,"bytes":1}]}"#;
    let answer = two.ask(&two.tokens[1], "POST", "/api/v1/dropped", JSON, report);
    assert_eq!(answer.status, StatusCode::NO_CONTENT);
    assert_eq!(theirs(&two.server.store.apps().unwrap()), before);
    assert_eq!(
        two.server
            .store
            .dropped(Some("zebra-app"), 0)
            .unwrap()
            .len(),
        1
    );
    assert_eq!(
        two.server.store.dropped(Some("shop"), 0).unwrap()[0].runs,
        5
    );
}
