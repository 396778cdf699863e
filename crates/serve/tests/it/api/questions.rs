//! Questions and their answers.

use axum::http::StatusCode;

use super::server::{open, run};

#[test]
fn questions_are_answered_and_bad_ones_named() {
    let server = open();
    for number in 0..30 {
        server.send("POST", "/api/v1/runs", &[], run(number));
    }
    let routes = server.get("/api/v1/routes").json();
    assert_eq!(routes.as_array().unwrap().len(), 3);
    for path in [
        "/api/v1/runs?sort=wall&limit=5",
        "/api/v1/releases",
        "/api/v1/days",
        "/api/v1/trend?q=route:/cart&step=hour",
        "/api/v1/trend?function=main()",
        "/api/v1/functions?sort=calls&limit=3",
        "/api/v1/function?name=main()",
        "/api/v1/tree?q=route:/cart",
        "/api/v1/diff?before=route:/cart&after=route:/",
        "/api/v1/spans",
        "/api/v1/requests",
        "/api/v1/routes/days?q=route:/cart",
        "/api/v1/functions/days?name=main()",
        "/healthz",
        "/metrics",
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.text());
    }
    let tree = server.get("/api/v1/tree?q=route:/cart").body;
    let tree = formats::read(tree.as_slice()).unwrap();
    assert_eq!(tree.meta.tag("runs"), Some("10"));
    for (path, status) in [
        ("/api/v1/runs?q=colour:red", 400),
        ("/api/v1/runs?cursor=x", 400),
        ("/api/v1/runs?limit=x", 400),
        ("/api/v1/runs?sort=x", 400),
        ("/api/v1/runs/x", 400),
        ("/api/v1/runs/00112233445566778899aabbccddeeff", 404),
        ("/api/v1/function?name=no", 404),
        ("/api/v1/function", 400),
        ("/api/v1/functions/days", 400),
        ("/api/v1/functions/days?name=f&q=colour:red", 400),
        ("/api/v1/requests?q=route:/no", 404),
        ("/api/v2/runs", 404),
        ("/../../etc/passwd", 404),
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status.as_u16(), status, "{path}: {}", answer.text());
    }
    let id = server.get("/api/v1/runs?limit=1").json()["runs"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let label = br#"{"label":"slow one"}"#.to_vec();
    let kind = [("content-type", "application/json")];
    let path = format!("/api/v1/runs/{id}/label");
    assert_eq!(
        server.send("PUT", &path, &kind, label).status,
        StatusCode::NO_CONTENT
    );
    let found = server.get("/api/v1/runs?q=label:slow*").json();
    assert_eq!(found["runs"][0]["id"], id.as_str());
    let deleted = server.send("DELETE", &format!("/api/v1/runs/{id}"), &[], Vec::new());
    assert_eq!(deleted.status, StatusCode::NO_CONTENT);
    assert_eq!(server.store.stats().unwrap().runs, 29);
    let asked = br#"{"app":"shop","policy":{"days":1,"notable":0}}"#.to_vec();
    let answer = server.send("POST", "/api/v1/retain", &kind, asked);
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
}

#[test]
fn sums_of_all_requests_and_of_days_are_those_of_the_routes() {
    let server = open();
    for number in 0..30 {
        server.send("POST", "/api/v1/runs", &[], run(number));
    }
    let routes = server.get("/api/v1/routes").json();
    let routes = routes.as_array().unwrap();
    let sum = |name: &str| -> u64 {
        let values = routes.iter().map(|route| route[name].as_u64().unwrap());
        values.sum()
    };
    let all = server.get("/api/v1/requests").json();
    assert_eq!((&all["runs"], &all["app"]), (&30.into(), &"".into()));
    assert_eq!(all["wall"], sum("wall"));
    let days = server.get("/api/v1/routes/days").json();
    let days = days.as_array().unwrap();
    assert_eq!(days.len(), 3);
    let walls = days.iter().flat_map(|route| {
        let days = route["days"].as_array().unwrap().clone();
        days.into_iter().map(|day| day["wall"].as_u64().unwrap())
    });
    assert_eq!(walls.sum::<u64>(), sum("wall"));
    let path = "/api/v1/functions/days?q=route:/cart&name=Repository%3A%3Afind&name=no";
    let functions = server.get(path).json();
    let found = server.get("/api/v1/function?q=route:/cart&name=Repository%3A%3Afind");
    let found = found.json();
    assert_eq!(functions[0]["name"], "Repository::find");
    assert_eq!(functions[0]["days"][0]["calls"], found["total"]["calls"]);
    assert_eq!(functions[0]["days"][0]["wall"], found["total"]["own_wall"]);
    assert_eq!(functions[1]["days"][0]["runs"], 10);
    assert_eq!(functions[1]["days"][0]["calls"], 0);
    let many = "name=f&".repeat(101);
    let answer = server.get(&format!("/api/v1/functions/days?{many}"));
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert!(answer.text().contains("give 1 to 100"));
}

#[test]
fn a_parameter_or_body_that_is_wrong_is_named_in_json() {
    let server = open();
    let json = [("content-type", "application/json")];
    for (answer, status, word) in [
        (server.get("/api/v1/runs?limit=many"), 400, "limit"),
        (server.get("/api/v1/trend?step=century"), 400, "century"),
        (
            server.send("PUT", "/api/v1/policies", &json, b"{\"years\": 1}".to_vec()),
            422,
            "years",
        ),
        (
            server.send("PUT", "/api/v1/policies", &json, b"{".to_vec()),
            400,
            "JSON",
        ),
        (
            server.send("PUT", "/api/v1/policies", &[], b"{}".to_vec()),
            415,
            "application/json",
        ),
    ] {
        assert_eq!(answer.status, status, "{}", answer.text());
        let error = answer.json()["error"].as_str().unwrap().to_owned();
        assert!(error.contains(word), "{error}");
    }
    let browser = [("accept", "text/html")];
    let page = server.send("GET", "/index.php?run=%3Cb%3E", &browser, Vec::new());
    assert_eq!(page.status, StatusCode::NOT_FOUND);
    assert!(
        page.text().starts_with("<!doctype html>"),
        "{}",
        page.text()
    );
    assert!(page.text().contains("there is no run &lt;b&gt;"));
}
