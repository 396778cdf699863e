# Performance as a test, `xhprof check` and the Composer package: steps of
# `./x test`. Sourced by `scripts/test.sh`.

# The package's own tests, under the PHPUnit of this Debian, and its style.
php_package() {
    plain_scan_directory "$logs/php-conf.d"
    export PHP_INI_SCAN_DIR=$logs/php-conf.d
    # Also what this PHPUnit does not load.
    find php -name '*.php' -print0 | xargs -0 -n 1 "$PHP" -n -l >"$logs/php-lint"
    "$PHP" -n -r 'json_decode(file_get_contents("php/composer.json"), false, 16, JSON_THROW_ON_ERROR);'
    if runs_phpunit >"$logs/phpunit" 2>&1; then
        XHPROF_EXTENSION=$extension XHPROF_PROGRAM=$(realpath "$profiler") \
            "$PHP" -d extension="$extension" "$(command -v phpunit)" -c php/phpunit.xml --do-not-cache-result
    else
        echo "PHPUnit does not run here, so not run: $(head -n 1 "$logs/phpunit")"
    fi
    format_php check
}

check_scenarios() {
    "$PHP" -n crates/cli/tests/scenarios/check.php "$extension" "$profiler"
}

# The shop without a fault, many times, and with each fault.
example_shop() {
    local library
    for library in Twig Symfony/Component/HttpKernel Symfony/Component/Routing; do
        has_library "$library" >/dev/null 2>&1 || {
            echo "Debian's package of $library is not installed, so not run"
            return
        }
    done
    plain_scan_directory "$logs/php-conf.d"
    export PHP_INI_SCAN_DIR=$logs/php-conf.d
    shop_check '' 0 '7 budgets kept' --repeat 100
    shop_check n+1 3 "Articles::find (src/Articles.php:$(shop_line Articles find))"
    shop_check leak 3 "PageCache::keep (src/PageCache.php:$(shop_line PageCache keep))"
    shop_check template 3 '325× Shop.PriceExtension::price by twig::slow.html.twig (templates/slow.html.twig:1)'
    if runs_phpunit >/dev/null 2>&1; then
        # PHPUnit 10 and later have no --repeat.
        for _ in {1..10}; do shop_tests '' OK; done
        shop_tests n+1 "Articles::find (.*/Articles.php:$(shop_line Articles find))"
        shop_tests leak "PageCache::keep (.*/PageCache.php:$(shop_line PageCache keep))"
        shop_tests template 'twig::slow.html.twig (.*/templates/slow.html.twig:1)'
    else
        echo 'PHPUnit does not run here, so not run: the tests of examples/shop'
    fi
    shop_assistant
}

# The faults again, by a client of `xhprof mcp` from npm that follows the answers.
shop_assistant() {
    local made=$PWD/target/mcp-client
    command -v npm >/dev/null || {
        echo 'npm is not there, so not run: the client of xhprof mcp'
        return
    }
    rm -rf "$made" && mkdir -p "$made"
    cp crates/cli/tests/mcp/{.npmrc,package.json,package-lock.json,client.mjs} "$made"
    (cd "$made" && npm ci --silent) >"$logs/mcp-npm" 2>&1 || {
        echo 'its packages cannot be installed from npm, so not run: the client of xhprof mcp'
        return
    }
    XHPROF_PHP=$PHP XHPROF_EXTENSION=$(realpath "$extension") \
        node "$made/client.mjs" "$(realpath "$profiler")" examples/shop "$made" || die 'the client of xhprof mcp failed'
}

# shop_check FAULT CODE SAID OPTION…: `xhprof check` of the shop with a fault.
shop_check() {
    local fault=$1 code=$2 said=$3 status=0 program
    shift 3
    program=$(realpath "$profiler")
    (cd examples/shop && SHOP_FAULT=$fault "$program" check --php "$PHP" --extension "$(realpath "$extension")" "$@") >"$logs/shop-check" 2>&1 || status=$?
    [ "$status" = "$code" ] || die "SHOP_FAULT=$fault, and xhprof check ends with $status: $(cat "$logs/shop-check")"
    grep -q "$said" "$logs/shop-check" || die "SHOP_FAULT=$fault, and xhprof check does not say \"$said\": $(cat "$logs/shop-check")"
    echo "SHOP_FAULT=$fault: $(grep ' kept' "$logs/shop-check")"
}

# shop_line CLASS METHOD: the line on which it is defined.
shop_line() { grep -n "function $2(" "examples/shop/src/$1.php" | cut -d: -f1; }

# shop_tests FAULT SAID: the shop's tests with a fault, which must fail and say that.
shop_tests() {
    local fault=$1 said=$2 status=0
    SHOP_FAULT=$fault "$PHP" -d extension="$extension" "$(command -v phpunit)" \
        -c examples/shop/phpunit.xml --do-not-cache-result >"$logs/shop-tests" 2>&1 || status=$?
    grep -q "$said" "$logs/shop-tests" || die "SHOP_FAULT=$fault, and the tests do not say \"$said\": $(cat "$logs/shop-tests")"
    [ "$((status > 0))" = "$((${#fault} > 0))" ] || die "SHOP_FAULT=$fault, and the tests end with $status: $(cat "$logs/shop-tests")"
    grep -E '^(OK|Tests:)' "$logs/shop-tests" | sed "s/^/SHOP_FAULT=$fault: /"
}
