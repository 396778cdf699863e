# `./x format`, and `./x lint` and the tests, which only check: one formatter for each
# language. Sourced by `x` and scripts/lint.sh.
#
#   Rust               rustfmt, its defaults
#   shell              shfmt, of Debian
#   PHP                PHP_CodeSniffer's phpcbf, of Debian: phpcs.xml
#   Python             ruff, from PyPI: ruff.toml
#   TypeScript, CSS    prettier, from npm: web/.prettierrc.json
#
# format_LANGUAGE check|write

languages=(rust shell php python web)

format_rust() {
    cargo fmt --version >/dev/null 2>&1 || not_formatted rustfmt || return 0
    if [ "$1" = write ]; then cargo fmt --all; else cargo fmt --all --check; fi
}

format_shell() {
    local files
    command -v shfmt >/dev/null || not_formatted shfmt || return 0
    mapfile -t files < <(existing '*.sh' x .ci/run)
    if [ "$1" = write ]; then shfmt -i 4 -w "${files[@]}"; else shfmt -i 4 -d "${files[@]}"; fi
}

format_php() {
    local status=0
    command -v phpcs >/dev/null || not_formatted PHP_CodeSniffer || return 0
    if [ "$1" = write ]; then
        # Its status is 1 if it changed a file.
        phpcbf -q --standard=phpcs.xml || status=$?
        [ "$status" -le 1 ]
    else
        phpcs -q --standard=phpcs.xml
    fi
}

format_python() {
    local files ruff
    pypi_program ruff || not_formatted ruff || return 0
    ruff=$pypi_bin/ruff
    mapfile -t files < <(existing '*.py')
    if [ "$1" = write ]; then
        "$ruff" check --quiet --fix "${files[@]}" && "$ruff" format --quiet "${files[@]}"
    else
        "$ruff" check --quiet "${files[@]}" && "$ruff" format --quiet --diff "${files[@]}"
    fi
}

format_web() {
    local files prettier=web/node_modules/.bin/prettier
    [ -x $prettier ] || {
        command -v npm >/dev/null || not_formatted npm || return 0
        echo 'npm ci, in web/'
        (cd web && npm ci --silent) || not_formatted prettier || return 0
    }
    mapfile -t files < <(existing 'web/*' 'editors/*' '*.mjs' | grep -E '\.(ts|tsx|js|mjs|css)$' | grep -vE '^web/(dist|src/generated|src/api/generated)/')
    $prettier --config web/.prettierrc.json --log-level warn "--$1" "${files[@]}"
}

# existing PATTERN…: the files of the repository, also those that are not committed yet.
existing() { git ls-files --cached --others --exclude-standard "$@" | while read -r file; do [ ! -e "$file" ] || echo "$file"; done; }

# not_formatted PROGRAM: says so, and fails.
not_formatted() {
    echo "$1 is not installed, so not run: ./x lint installs it where it can"
    return 1
}

format_everything() {
    local language
    for language in "${languages[@]}"; do
        say "format: $language"
        "format_$language" write
    done
}
