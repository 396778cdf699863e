# `./x formats-check`: opens our files in other programs. Sourced by `x`.
#
# `examples/export.rs` writes known profiles in every format. One of them has all
# kinds of hostile names; another is of a real program. Each part in
# crates/formats/tests/tools/ lets another program read the files, and compares totals,
# self costs and calls with our own numbers.
#
# --quick runs only the programs that install in seconds. Without a network, the
# command names the programs that it cannot install, and does not run them.

check_target=${release%/release}/formats-check
check_files=$check_target/files
parts=$PWD/crates/formats/tests/tools
check_lines=()
check_failed=0

formats_check() {
    local quick=${1:-}
    case $quick in
    '' | --quick) ;;
    *) die "formats-check: unknown option $1; the only one is --quick" ;;
    esac
    rm -rf "$check_target/logs" "$check_files"
    mkdir -p "$check_target/logs" "$check_files"
    export_profiles "$quick"

    # part NAME WHAT PROGRAM COMMAND…: what it compares, and what it needs.
    part arrays 'PHP: unserialize, json_decode' php each_folder "${PHP:-php}" -n "$parts/arrays.php"
    part pictures "xmllint $(version_of xmllint --version); Python's parsers" xmllint each_folder python3 "$parts/pictures.py"
    part collapsed 'awk; flamegraph.pl' nytprofcalls bash "$parts/collapsed.sh" "$check_files"
    part firefox "Python's json, column by column" python3 \
        each_table firefox.firefox.json text python3 "$parts/firefox.py"
    part perfview "xmllint; Python's XML, JSON and zip" xmllint perfview_files
    part callgrind "callgrind_annotate $(version_of callgrind_annotate --version)" callgrind_annotate \
        each_folder python3 "$parts/callgrind.py"
    part dot "Graphviz $(version_of dot -V)" dot each_folder python3 "$parts/dot.py"
    part nytprof "Devel::NYTProf $(NYTPROF=start=no:file=/dev/null perl -MDevel::NYTProf -e 'print $Devel::NYTProf::VERSION' 2>/dev/null): its data, nytprofcalls, nytprofhtml" \
        nytprofhtml bash "$parts/nytprof.sh" "$check_files"
    [ "$quick" ] || {
        with_python gprof2dot && part gprof2dot "gprof2dot $(package_version gprof2dot)" dot \
            each_folder "$PYTHON" -O "$parts/gprof2dot.py"
        with_python opentelemetry-proto && part otlp "opentelemetry-proto $(package_version opentelemetry-proto)" python3 \
            each_table otlp-profiles-1-11.otlp.pb text "$PYTHON" "$parts/otlp.py"
        with_node pprof-format && part pprof "npm pprof-format $(node_version pprof-format); go tool pprof $(version_of go version)" node pprof_files
        with_node speedscope && part speedscope "npm speedscope $(node_version speedscope): its importer" node \
            each_folder node "$parts/speedscope.mjs" "$NODE_MODULES/speedscope"
        with_node @tracerbench/trace-model && part trace "npm @tracerbench/trace-model $(node_version @tracerbench/trace-model)" node \
            each_table chrome-trace.trace.json text node "$parts/trace.cjs"
        with_python sarif-tools && with_python junitparser && check_reports
        with_python check-jsonschema && part schemas "check-jsonschema $(package_version check-jsonschema)" python3 \
            bash "$parts/ci-schemas.sh" "${PYTHON%/*}/check-jsonschema" "$check_target/schemas"
    }

    printf '%s\n' "${check_lines[@]}"
    [ "$check_failed" = 0 ] || die "another program reads other numbers from our files: see $check_target/logs"
}

# export_profiles QUICK: writes the known profiles, and one of a real program: a
# trace of Xdebug that we read.
export_profiles() {
    local real=()
    if [ -z "$1" ] && record_real_program; then
        real=("real=$check_target/cachegrind.out.real")
    fi
    # Built as `cargo test` builds it, so that `./x test` can reuse the build.
    cargo build --locked -p xhprof-formats --example export
    "${release%/release}/debug/examples/export" "$check_files" ${real[@]+"${real[@]}"}
    # The same files named by their formats, one folder for each profile.
    local file name id
    for file in "$check_files"/*.*.*; do
        IFS=. read -r name id _ <<<"${file##*/}"
        mkdir -p "$check_files/$name"
        ln -s "$file" "$check_files/$name/$id"
    done
}

# The reports of `xhprof check`.
check_reports() {
    build_program
    part reports "sarif-tools $(package_version sarif-tools), junitparser $(package_version junitparser)" python3 \
        "$PYTHON" "$parts/ci.py" "$(realpath "$release/xhprof")" "$check_files/events.native.xhp" "$check_target/reports"
}

record_real_program() {
    local modules=() module
    if ! command -v phpcs >/dev/null || ! [ -e "$(php-config --extension-dir)/xdebug.so" ]; then
        not_run 'a real program' 'no phpcs, or no Xdebug to record it'
        return 1
    fi
    # phpcs needs some modules that are not built into Debian's PHP.
    for module in tokenizer xml xmlwriter simplexml; do
        [ ! -e "$(php-config --extension-dir)/$module.so" ] || modules+=(-d "extension=$module")
    done
    rm -f "$check_target/cachegrind.out.real"
    echo '<?php echo strtoupper("a"), PHP_EOL;' >"$check_target/small.php"
    php -n ${modules[@]+"${modules[@]}"} -d zend_extension=xdebug -d xdebug.mode=profile -d xdebug.start_with_request=yes \
        -d xdebug.output_dir="$check_target" -d xdebug.profiler_output_name=cachegrind.out.real \
        -d xdebug.use_compression=0 /usr/bin/phpcs --standard=PSR12 "$check_target/small.php" >/dev/null || true
    [ -s "$check_target/cachegrind.out.real" ]
}

# part NAME WHAT PROGRAM COMMAND…: runs a part and stores a line for the summary.
part() {
    local name=$1 what=$2 program=$3 log=$check_target/logs/$1.log began=$SECONDS word=ok
    shift 3
    command -v "$program" >/dev/null || {
        not_run "$name" "$program is not there"
        return 0
    }
    say "$name: $what"
    "$@" >"$log" 2>&1 || {
        word=FAILED
        check_failed=1
        cat "$log"
    }
    check_lines+=("$(printf '  %-6s %3ds  %-10s %s: %s' "$word" $((SECONDS - began)) "$name" "$what" "$(summary_of "$log")")")
}

not_run() { check_lines+=("$(printf '  %-6s %4s  %-10s %s, so not run' - '' "$1" "$2")"); }

# Adds up the functions and numbers that agreed in all parts.
summary_of() {
    awk '/ numbers agree, / { for (i = 2; i <= NF; i++) if ($(i) == "numbers") n += $(i - 1); files++ }
         /^  ok: / { lines += $2; functions += $4; files++ }
         END {
             if (n) printf "%d numbers agree in %d files", n, files
             if (functions) printf "%d functions agree in %d files, of %d lines", functions, files, lines
         }' "$1"
}

# each_folder COMMAND…: runs the command for the folder of each profile.
each_folder() {
    local folder status=0
    for folder in "$check_files"/*/; do
        basename "$folder"
        "$@" "$folder" || status=1
    done
    return "$status"
}

# each_table ENDING RULE COMMAND…: runs the command for the files of each profile with this
# ending, a pattern, and compares the stacks that it prints with our own numbers.
each_table() {
    local ending=$1 rule=$2 table file status=0
    shift 2
    for table in "$check_files"/*.tsv; do
        # shellcheck disable=SC2231 # a pattern
        for file in "${table%.tsv}".$ending; do
            echo "${file##*/}"
            "$@" "$file" | python3 "$parts/totals.py" "$rule" "$table" || status=1
        done
    done
    return "$status"
}

perfview_files() {
    local file
    for file in "$check_files"/*.perfview*; do
        case $file in
        *.xml) xmllint --noout "$file" || return ;;
        *.xml.zip) unzip -p "$file" | xmllint --noout - || return ;;
        esac
    done
    each_table 'perfview*' perfview python3 "$parts/perfview.py"
}

# `go tool pprof` checks the file first.
pprof_files() {
    local file
    each_table pprof.pb.gz text node "$parts/pprof.mjs" || return
    command -v go >/dev/null || return 0
    for file in "$check_files"/*.pprof.pb.gz; do
        go tool pprof -top -sample_index=wall "$file" >"$check_target/top" 2>"$check_target/logs/go.log" || {
            cat "$check_target/logs/go.log"
            return 1
        }
        sed -n 's/^Showing/  go tool pprof: Showing/p' "$check_target/top"
    done
}

version_of() { { "$@" 2>&1 || true; } | grep -o '[0-9][0-9.]*[0-9]' | sed -n 1p; }

# with_python PACKAGE: sets $PYTHON to a Python with this package, in a venv.
with_python() {
    PYTHON=$check_target/venv/bin/python
    [ -x "$PYTHON" ] || python3 -m venv "$check_target/venv" || {
        not_run "$1" 'python3 -m venv does not work'
        return 1
    }
    "$PYTHON" -m pip install --quiet --disable-pip-version-check "$1" >"$check_target/logs/pip.log" 2>&1 || {
        not_run "$1" 'it cannot be installed from PyPI'
        return 1
    }
    export PYTHON
}

package_version() { "$PYTHON" -c 'import importlib.metadata as m, sys; print(m.version(sys.argv[1]))' "$1"; }

# with_node PACKAGE: installs the package into the folder $NODE_MODULES.
with_node() {
    local wanted=$1
    [ "$1" != pprof-format ] || wanted=pprof-format@2
    NODE_MODULES=$check_target/npm/node_modules
    mkdir -p "$check_target/npm"
    command -v npm >/dev/null || {
        not_run "$1" 'npm is not there'
        return 1
    }
    [ -e "$NODE_MODULES/$1" ] ||
        npm install --silent --no-fund --no-audit --prefix "$check_target/npm" "$wanted" >"$check_target/logs/npm.log" 2>&1 || {
        not_run "$1" 'it cannot be installed from npm'
        return 1
    }
    export NODE_MODULES
}

node_version() { node -p 'require(process.argv[1] + "/package.json").version' "$NODE_MODULES/$1"; }
