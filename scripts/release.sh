# `./x release`: what a tag publishes. Sourced by `x`.
#
# A release is a tag without "v": PIE's names of files have the version as the tag has it.
# .github/workflows/release.yml runs this command and uploads target/packages.

# release_run [--dry-run] VERSION: a dry run accepts a changelog without the version's heading.
release_run() {
    local trial=''
    if [ "${1:-}" = --dry-run ]; then
        trial=yes
        shift
    fi
    [[ ${1:-} =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[a-z]+[0-9]+)?$ ]] || die 'release: a version is needed, such as 1.2.3 or 1.2.3-rc1'
    release_versions "$1" "$trial"
    x_package --test
    release_notes "$1" "$trial" >"${release%/release}/release-notes.md"
    say "release: the files are in target/packages, the notes in target/release-notes.md"
}

# Cargo.toml has the version of everything. composer.json must have none: Composer takes the tag.
release_versions() {
    source scripts/package.sh
    [ "$(package_version)" = "$1" ] || die "release: Cargo.toml has the version $(package_version), not $1"
    ! grep -E '^    "version"' composer.json php/composer.json || die 'release: Composer takes the version from the tag; remove it from composer.json'
    [ -n "$2" ] || [ -z "$(git status --porcelain)" ] || die 'release: there are changes that are not committed'
    release_notes "$1" "$2" | grep -q '^- ' || die "release: CHANGELOG.md has nothing below \"## $1\""
    say "release: Cargo.toml, composer.json and CHANGELOG.md agree on $1"
}

# Prints the version's part of the changelog.
release_notes() {
    local heading="## $1"
    [ -z "$2" ] || grep -q "^$heading" CHANGELOG.md || heading='## Unreleased'
    awk -v heading="$heading" '/^## / { shown = index($0, heading) == 1; next } shown' CHANGELOG.md
}
