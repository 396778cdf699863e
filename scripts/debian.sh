# What Debian's archives hold beside the packages that one installs: PHP's own
# sources, and the archive's address for other suites. Sourced by scripts.
#
# Nothing of the machine's apt changes: the lists are our own, made from the
# machine's by asking for sources where it asks for packages.

# own_apt FOLDER COMMAND…: apt-get or apt-cache with the lists in FOLDER.
own_apt() {
    local folder=$1 program=$2
    shift 2
    "$program" -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$folder/sources.list.d" \
        -o Dir::State::Lists="$folder/lists" -o Dir::Cache="$folder/cache" \
        -o APT::Sandbox::User="$(id -un)" "$@"
}

# Writes the machine's entries into FOLDER, as entries for sources. What signs
# them and everything else stays.
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

# php_source FOLDER: PHP's sources in FOLDER/src, of the version nearest to this
# PHP's that the archives still have. FOLDER/version says which.
php_source() {
    local folder=$1 name have version versions
    name=php$("$PHP" -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
    have=$("$PHP" -n -r 'echo PHP_VERSION;')
    if [ -e "$folder/src/main/php_version.h" ]; then
        say "PHP's sources are there already: $(cat "$folder/version")"
        return
    fi
    command -v apt-get >/dev/null || die "PHP's sources come by apt-get source, and there is no apt-get"
    rm -rf "$folder" && mkdir -p "$folder/apt"
    list_sources "$folder/apt"
    # Some entries may have no sources; what matters is what there is then.
    own_apt "$folder/apt" apt-get update -qq >"$folder/apt/log" 2>&1 || true
    # The newest that is not newer than ours first, the others after that.
    versions=$(own_apt "$folder/apt" apt-cache showsrc "$name" 2>/dev/null |
        sed -n 's/^Version: //p' | sort -Vur |
        awk -v have="$have" '{ if ($0 <= have "~") old = old $0 "\n"; else new = new $0 "\n" }
            index($0, have) == 1 { exact = $0 } END { printf "%s\n%s%s", exact, old, new }' | awk 'NF && !seen[$0]++')
    [ -n "$versions" ] || die "the archives have no source of $name: $(tail -n 5 "$folder/apt/log")"
    for version in $versions; do
        say "apt-get source --download-only $name=$version"
        rm -rf "$folder/download" && mkdir -p "$folder/download"
        # The newest security fix's source may be gone while its packages are there.
        (cd "$folder/download" &&
            own_apt "$folder/apt" apt-get source -qq --download-only "$name=$version") >"$folder/apt/log" 2>&1 &&
            break
        say "not to be had: $(grep -m 1 '^E:' "$folder/apt/log" | sed -E 's#https?://[^ ]*/##')"
    done
    mkdir -p "$folder/src.new"
    tar --extract --strip-components=1 --directory="$folder/src.new" \
        --file="$(find "$folder/download" -name '*.orig.tar.*' ! -name '*.asc' | head -n 1)" ||
        die "no source of $name could be fetched"
    mv "$folder/src.new" "$folder/src"
    rm -r "$folder/download"
    echo "$version" >"$folder/version"
}

# debian_mirror [LABEL]: the address that the machine has Debian's packages from;
# of LABEL, Debian-Security, its security fixes.
debian_mirror() {
    apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' |
        sed -n "s/^Debian|${1:-Debian}|//p" | head -n 1 | grep . ||
        die "the machine has no archive called ${1:-Debian} among its apt sources"
}
