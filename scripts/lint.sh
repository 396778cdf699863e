# `./x lint`, and the parts of it that `./x test` runs too. Sourced by `x`.

source scripts/format.sh
source scripts/book.sh

lint_rustfmt() { format_rust check; }

# The other formatters. All run, also after one that found something.
lint_formatters() {
    local language failed=0
    for language in "${languages[@]}"; do
        [ "$language" = rust ] || "format_$language" check || failed=1
    done
    return "$failed"
}

# The extension in the release profile, so that the bindings, the slowest part of its
# build, are not made again; all others in the development profile, whose build scripts
# and macros the tests have.
lint_clippy() {
    cargo clippy --release --locked --package xhprof --all-targets --quiet -- -D warnings
    cargo clippy --locked --workspace --exclude xhprof --all-targets --quiet -- -D warnings
}

# The documentation of everything, private items too: a broken link is an error.
# In two runs, because extension and program are both called xhprof; in the profiles of
# clippy, so that Cargo uses what it has checked.
lint_doc() {
    local documented
    for documented in '--release --package xhprof' '--workspace --exclude xhprof'; do
        # shellcheck disable=SC2086
        RUSTDOCFLAGS='-D warnings' cargo doc --locked $documented --no-deps \
            --document-private-items --quiet
    done
}

# Prints the dependencies of the extension on the tested platform, with macros:
# name, version, licence.
dependencies() {
    cargo tree --locked --package xhprof --edges normal --prefix none \
        --target x86_64-unknown-linux-gnu --format '{p} {l}' |
        sed -E 's/ \(\*\)$//; s/ \(proc-macro\)//; s/ \(\/[^)]*\)//' | LC_ALL=C sort -u
}

# A new dependency is a decision: `./x bless` accepts it.
lint_dependencies() {
    diff -u dependencies.txt <(dependencies) || {
        echo 'The dependencies of the extension have changed. If this is intended, run ./x bless'
        return 1
    }
}

# `./x` does not install cargo-deny by itself: compiling it takes longer than
# everything else. Without it, only dependencies.txt guards the extension.
lint_deny() {
    if command -v cargo-deny >/dev/null; then
        cargo deny --workspace --log-level warn check licenses bans sources
    else
        echo 'cargo-deny is not installed, so not run: ./x lint --deny installs it'
    fi
}

lint_shell() {
    local scripts
    mapfile -t scripts < <(git ls-files '*.sh')
    if command -v shellcheck >/dev/null; then
        # 2034, 2154, 2317, 2329: one file sets names and another file uses them.
        # 2030, 2031: a subshell is meant to keep its changes to itself.
        # 2016: PHP and Markdown in single quotes are not for the shell.
        shellcheck --external-sources --shell=bash \
            --exclude=SC2016,SC2030,SC2031,SC2034,SC2154,SC2317,SC2329 x "${scripts[@]}"
    else
        echo 'shellcheck is not installed, so not run'
    fi
}

# GitHub's workflows, ours and the one for users, and with shellcheck the scripts in them.
lint_workflows() {
    pypi_program actionlint || {
        echo 'actionlint is not installed, so not run'
        return
    }
    "$pypi_bin/actionlint" .github/workflows/*.yml packaging/ci/github/workflow.yml
}

lint_book() { book_build; }

lint_everything() {
    local part status failed=0
    for part in rustfmt formatters clippy doc book dependencies deny shell workflows; do
        say "lint: $part"
        # Not `if lint_…`, which would disable `set -e` inside.
        set +e
        (
            set -e
            "lint_$part"
        )
        status=$?
        set -e
        [ "$status" = 0 ] || failed=1
    done
    [ "$failed" = 0 ] || die 'lint found problems, see above'
    say 'lint found nothing'
}
