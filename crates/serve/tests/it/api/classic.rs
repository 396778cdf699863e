//! Links of XHProf's own pages.

use axum::http::{StatusCode, header};

use super::server::open;

#[test]
fn links_of_xhprof_open_the_runs_of_its_folder() {
    let server = open();
    let calls = |wall: u32| format!(r#"{{"main()":{{"ct":1,"wt":{wall}}}}}"#).into_bytes();
    let mut ids = Vec::new();
    for (name, wall) in [
        ("65f0c0ffee123.shop.xhprof", 100),
        ("65f0c0ffee124.shop.xhprof", 200),
        // The same id and content, of another application.
        ("65f0c0ffee123.blog.xhprof", 100),
    ] {
        let headers = [("x-xhprof-file", name)];
        let answer = server.send("POST", "/api/v1/runs", &headers, calls(wall));
        assert_eq!(answer.json()["runs"][0]["is_new"], true);
        let again = server.send("POST", "/api/v1/runs", &headers, calls(wall));
        assert_eq!(again.json()["runs"][0]["is_new"], false, "{name}");
        ids.push(again.json()["runs"][0]["id"].as_str().unwrap().to_owned());
    }
    let run = server.get(&format!("/api/v1/runs/{}", ids[0])).json();
    assert_eq!(run["started_us"], 0x65f0_c0ff_u64 * 1_000_000 + 0xee123);
    assert_eq!(run["title"], "shop");
    let [shop, other, blog] = ids.try_into().unwrap();
    let query = "run=65f0c0ffee123&source=shop";
    for (link, place) in [
        (format!("/?{query}"), format!("/index.php?{query}")),
        (format!("/index.php?{query}"), format!("/run/{shop}")),
        (
            format!("/index.php?{query}&symbol=f&sort=wt"),
            format!("/run/{shop}"),
        ),
        (format!("/callgraph.php?{query}"), format!("/run/{shop}")),
        (
            format!("/xhprof_html/index.php?{query}"),
            format!("/run/{shop}"),
        ),
        (
            "/index.php?run=65f0c0ffee123&source=blog".to_owned(),
            format!("/run/{blog}"),
        ),
        (
            "/index.php?run=65f0c0ffee124".to_owned(),
            format!("/run/{other}"),
        ),
        (format!("/index.php?run={blog}"), format!("/run/{blog}")),
        (
            "/?run1=65f0c0ffee123&run2=65f0c0ffee124&source=shop".to_owned(),
            "/index.php?run1=65f0c0ffee123&run2=65f0c0ffee124&source=shop".to_owned(),
        ),
        (
            "/index.php?run1=65f0c0ffee123&run2=65f0c0ffee124&source=shop".to_owned(),
            format!("/compare/runs?base={shop}&new={other}"),
        ),
        (
            "/index.php?run=65f0c0ffee123,65f0c0ffee124&source=shop".to_owned(),
            format!("/tree?q=run:{shop}%20run:{other}"),
        ),
        ("/index.php".to_owned(), "/".to_owned()),
    ] {
        let answer = server.get(&link);
        assert_eq!(answer.status, StatusCode::TEMPORARY_REDIRECT, "{link}");
        assert_eq!(answer.headers[header::LOCATION], place, "{link}");
        if place.starts_with("/run/") || place.starts_with("/compare") || place.starts_with("/tree")
        {
            assert_eq!(server.get(&place).status, StatusCode::OK, "{place}");
        }
    }
    for link in [
        "/index.php?run=65f0c0ffee129&source=shop",
        "/index.php?run=65f0c0ffee124&source=blog",
        "/index.php?run=*",
        "/index.php?run=65f0c0ffee123&source=*",
        "/index.php?run=",
        "/index.php?run=00112233445566778899aabbccddeeff",
    ] {
        assert_eq!(server.get(link).status, StatusCode::NOT_FOUND, "{link}");
    }
    // The list has parameters of its own.
    assert_eq!(server.get("/?q=run:7").status, StatusCode::OK);
}
