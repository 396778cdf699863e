# The real program that the demo and tests profile: a PHP program from Debian's
# packages. Sourced by `x` and by scripts.
#
# PHP_CodeSniffer checks the sources of PHPUnit: about 450,000 calls. Its status is 2
# because it finds errors in them. Debian 13 does not have it: there PHP-Parser
# parses PHPUnit's largest files and prints them again.

codesniffer=/usr/bin/phpcs
php_parse=/usr/bin/php-parse
phpunit=/usr/share/php/PHPUnit/Framework

# Sets $program, $program_timeless (its output has no time), $program_status.
# XHPROF_PROGRAM=php-parse chooses PHP-Parser where both are installed.
choose_program() {
    if [ -e "$codesniffer" ] && [ "${XHPROF_PROGRAM:-}" != php-parse ]; then
        program=("$codesniffer" --standard=PSR12 -q --report=summary "$phpunit/Constraint")
        program_timeless=("$codesniffer" --standard=PSR12 --report=json "$phpunit/Constraint")
        program_status=2
    else
        program=("$php_parse" --resolve-names --pretty-print "$phpunit"/{Assert,TestCase,Assert/Functions}.php)
        # A small file: a trace has its syntax tree in the arguments of every call.
        program_timeless=("$php_parse" --resolve-names --pretty-print "$phpunit/TestBuilder.php")
        program_status=0
    fi
}

want_program() {
    # Debian's packages, whichever PHP runs them.
    if [ -e "$codesniffer" ] || ! command -v apt-get >/dev/null || can_install php-codesniffer; then
        want php-codesniffer 'the program that the demo profiles' any_php "$codesniffer" --version
    else
        want php-parser 'the program that the demo profiles' any_php "$php_parse" --help
    fi
    want phpunit 'the code that it reads' compgen -G "$phpunit/Constraint/*.php"
}
