//! Command lines and all they print, in `tests/cmd`.

#[test]
fn commands_print_what_the_transcripts_say() {
    trycmd::TestCases::new()
        .case("tests/cmd/*.trycmd")
        .env("COLUMNS", "100")
        // Whether there is one is not to change what is printed.
        .env("XHPROF_SERVER", "/nowhere/xhprof-server");
}
