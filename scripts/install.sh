# `./x install`: the extension into PHP, the program into PREFIX. Sourced by `x`.
#
# Each step is said before it is done; with --dry-run it is only said.

install_everything() {
    local modules version owner ini='' prefix=${PREFIX:-/usr/local}
    case $1 in
    --dry-run) step() { echo "would run: $*"; } ;;
    '') step() { say "$*" && as_root "$@"; } ;;
    *) die "install knows --dry-run, and not $1" ;;
    esac
    modules=$("$PHP_CONFIG" --extension-dir)
    version=$("$PHP" -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
    if owner=$(dpkg-query -S "$modules/xhprof.so" 2>/dev/null); then
        die "$modules/xhprof.so belongs to the package ${owner%%:*}; remove that first"
    fi

    # `install` makes a new file rather than write into the one that running
    # PHPs have mapped.
    step install -D -m 644 "$release/libxhprof.so" "$modules/xhprof.so"
    ini_file
    if [ "$ini" = phpenmod ]; then
        step install -D -m 644 scripts/xhprof.ini "/etc/php/$version/mods-available/xhprof.ini"
        step phpenmod -v "$version" xhprof
    elif [ -n "$ini" ]; then
        step install -D -m 644 scripts/xhprof.ini "$ini"
    else
        echo "This PHP reads no folder of ini files. Put \"extension=xhprof\" into"
        echo "$("$PHP" -n -r 'echo PHP_CONFIG_FILE_PATH;')/php.ini yourself."
    fi
    step install -D -m 755 "$release/xhprof" "$prefix/bin/xhprof"

    if [ "$1" != --dry-run ]; then
        "$PHP" --ri xhprof | sed -n '/=>/p' | head -n 4
        echo 'Servers load it when they are started again: php-fpm, Apache, workers.'
    fi
}

# Debian's PHP has its own way of switching modules on; others scan a folder.
ini_file() {
    local scanned
    scanned=$("$PHP" -n -r 'echo PHP_CONFIG_FILE_SCAN_DIR;')
    case $scanned in
    /etc/php/"$version"/*) ini=phpenmod ;;
    ?*) ini=$scanned/20-xhprof.ini ;;
    esac
}
