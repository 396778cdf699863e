# What comes from Debian's archives without being installed: packages that are only
# unpacked, PHP's sources, and the archive's address for other suites. Sourced by
# scripts.
#
# The machine's apt configuration does not change. For sources there are lists of
# their own: copies of the machine's entries, for sources instead of packages.

# The name of Debian's packages of the chosen PHP, such as php8.2.
debian_php() { "$PHP" -n -r 'echo "php", PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;'; }

# unpack_packages [--alone] ROOT PACKAGE…: unpacks packages into the folder ROOT, once, with
# the libraries that this machine lacks, or --alone. Installed packages would start
# servers, and enable modules for every PHP. apt's log is ROOT.log.
unpack_packages() {
    local download=download_with_libraries root archives package
    if [ "$1" = --alone ]; then
        download=download_alone
        shift
    fi
    root=$1 archives=$1.archives
    shift
    [ ! -e "$root/$1.unpacked" ] || return 0
    command -v apt-get >/dev/null || die "apt-get is missing, and these come from Debian: $*"
    rm -rf "$archives" && mkdir -p "$archives/partial" "$root"
    say "apt-get download: $*; unpacked in $root, not installed"
    "$download" "$archives" "$@" >"$root.log" 2>&1 ||
        { as_root apt-get update -qq && "$download" "$archives" "$@"; } >>"$root.log" 2>&1 ||
        die "apt-get failed: $(tail -n 5 "$root.log")"
    for package in "$archives"/*.deb; do
        [ ! -e "$package" ] || dpkg-deb --extract "$package" "$root"
    done
    rm -r "$archives"
    touch "$root/$1.unpacked"
}

# download_alone FOLDER PACKAGE…
download_alone() (cd "$1" && apt-get download -qq "${@:2}")

# download_with_libraries FOLDER PACKAGE…
download_with_libraries() {
    apt-get install -y -qq --no-install-recommends --download-only \
        -o Dir::Cache::archives="$1" -o Debug::NoLocking=1 -o APT::Sandbox::User="$(id -un)" "${@:2}"
}

# own_apt FOLDER COMMAND…: apt-get or apt-cache with the lists in FOLDER.
own_apt() {
    local folder=$1 program=$2
    shift 2
    "$program" -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$folder/sources.list.d" \
        -o Dir::State::Lists="$folder/lists" -o Dir::Cache="$folder/cache" \
        -o APT::Sandbox::User="$(id -un)" "$@"
}

# Writes the machine's entries into FOLDER, as entries for sources. Keys and other
# options stay.
list_sources() {
    local folder=$1 file
    rm -rf "$folder/sources.list.d"
    mkdir -p "$folder/sources.list.d" "$folder/lists/partial" "$folder/cache/archives/partial"
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ -e "$file" ] || continue
        sed -nE 's/^[[:space:]]*deb[[:space:]]/deb-src /p' "$file" >"$folder/sources.list.d/${file##*/}"
    done
    for file in /etc/apt/sources.list.d/*.sources; do
        [ -e "$file" ] || continue
        sed -E 's/^Types:.*/Types: deb-src/' "$file" >"$folder/sources.list.d/${file##*/}"
    done
}

# php_source FOLDER: puts PHP's sources into FOLDER/src, and their version into
# FOLDER/version: the version in the archives that is nearest to this PHP's.
php_source() {
    local folder=$1 name have version versions
    name=$(debian_php)
    have=$("$PHP" -n -r 'echo PHP_VERSION;')
    if [ -e "$folder/src/main/php_version.h" ]; then
        say "PHP's sources are already there: $(cat "$folder/version")"
        return
    fi
    command -v apt-get >/dev/null || die "apt-get is missing: PHP's sources come by apt-get source"
    rm -rf "$folder" && mkdir -p "$folder/apt"
    list_sources "$folder/apt"
    # Some entries may have no sources; an error here is not fatal.
    own_apt "$folder/apt" apt-get update -qq >"$folder/apt/log" 2>&1 || true
    # First the newest version that is not newer than this PHP, then the others.
    versions=$(own_apt "$folder/apt" apt-cache showsrc "$name" 2>/dev/null |
        sed -n 's/^Version: //p' | sort -Vur |
        awk -v have="$have" '{ if ($0 <= have "~") old = old $0 "\n"; else new = new $0 "\n" }
            index($0, have) == 1 { exact = $0 } END { printf "%s\n%s%s", exact, old, new }' | awk 'NF && !seen[$0]++')
    [ -n "$versions" ] || die "the archives have no source of $name: $(tail -n 5 "$folder/apt/log")"
    for version in $versions; do
        say "apt-get source --download-only $name=$version"
        rm -rf "$folder/download" && mkdir -p "$folder/download"
        # The archive may have removed the sources of a security fix, but not its packages.
        (cd "$folder/download" &&
            own_apt "$folder/apt" apt-get source -qq --download-only "$name=$version") >"$folder/apt/log" 2>&1 &&
            break
        say "not available: $(grep -m 1 '^E:' "$folder/apt/log" | sed -E 's#https?://[^ ]*/##')"
    done
    mkdir -p "$folder/src.new"
    tar --extract --strip-components=1 --directory="$folder/src.new" \
        --file="$(find "$folder/download" -name '*.orig.tar.*' ! -name '*.asc' | head -n 1)" ||
        die "no source of $name could be fetched"
    mv "$folder/src.new" "$folder/src"
    rm -r "$folder/download"
    echo "$version" >"$folder/version"
}

# debian_mirror [LABEL]: prints the address of the machine's Debian archive, or of
# the archive with this label, such as Debian-Security.
debian_mirror() {
    apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' |
        sed -n "s/^Debian|${1:-Debian}|//p" | head -n 1 | grep . ||
        die "the machine has no archive called ${1:-Debian} among its apt sources"
}
