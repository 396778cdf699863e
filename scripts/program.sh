# The real program that is profiled, by the demo and by tests: plain PHP of other
# people, from Debian's packages. Sourced by `x` and by scripts.
#
# PHP_CodeSniffer checks the sources of PHPUnit: some 450,000 calls. It ends with
# 2 when it finds something to mend, and it does. Debian 13 does not have it:
# there PHP-Parser parses PHPUnit's largest files and prints them again.

codesniffer=/usr/bin/phpcs
php_parse=/usr/bin/php-parse
phpunit=/usr/share/php/PHPUnit/Framework

# Sets $program, $program_timeless (a report that tells no time), $program_status.
# XHPROF_PROGRAM=php-parse takes the other one where both are there.
choose_program() {
    if [ -e "$codesniffer" ] && [ "${XHPROF_PROGRAM:-}" != php-parse ]; then
        program=("$codesniffer" --standard=PSR12 -q --report=summary "$phpunit/Constraint")
        program_timeless=("$codesniffer" --standard=PSR12 --report=json "$phpunit/Constraint")
        program_status=2
    else
        program=("$php_parse" --resolve-names --pretty-print "$phpunit"/{Assert,TestCase,Assert/Functions}.php)
        # A small file: a trace has the syntax tree of it in every call's arguments.
        program_timeless=("$php_parse" --resolve-names --pretty-print "$phpunit/TestBuilder.php")
        program_status=0
    fi
}

want_program() {
    # Debian's, whatever PHP runs them.
    if [ -e "$codesniffer" ] || ! command -v apt-get >/dev/null || can_install php-codesniffer; then
        want php-codesniffer 'the program that the demo profiles' "$PHP" "$codesniffer" --version
    else
        want php-parser 'the program that the demo profiles' "$PHP" "$php_parse" --help
    fi
    want phpunit 'the code that it reads' compgen -G "$phpunit/Constraint/*.php"
}
