--TEST--
A profile has the names of the application and its release, and how its request was chosen
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';

/** Which of the texts the profiles have that a script with these settings writes. */
function profiled(string $title, string $code, array $settings, array $texts): void
{
    $directory = make_directory();
    $ended = run_code("<?php $code", "xhprof.output_dir=$directory", ...$settings);
    echo "$title:", $ended->status === 0 ? '' : " status $ended->status $ended->output";
    foreach (glob("$directory/*.xhp") as $file) {
        $content = file_get_contents($file);
        foreach ($texts as $text) {
            echo str_contains($content, $text) ? " $text" : " no $text";
        }
    }
    echo "\n";
    remove_directory($directory);
}

foreach (['OTEL_SERVICE_NAME', 'DD_SERVICE', 'SENTRY_RELEASE', 'DD_VERSION'] as $variable) {
    putenv($variable);
}
$always = 'xhprof.auto_enable=1';
profiled('nothing is known', '', [$always], ['release', 'rate', 'trigger', 'exit_status']);
profiled('settings', '', [$always, 'xhprof.app=from-ini', 'xhprof.release=2026.11'], ['from-ini', '2026.11']);
profiled('the program', 'ini_set("xhprof.release", "of-ini-set"); xhprof_tag("app", "of-tag");',
    [$always, 'xhprof.app=from-ini', 'xhprof.release=2026.11'], ['of-tag', 'of-ini-set', 'from-ini', '2026.11']);
putenv('DD_SERVICE=of-datadog');
putenv('DD_VERSION=v7');
profiled('the environment', '', [$always], ['of-datadog', 'v7']);
putenv('OTEL_SERVICE_NAME=of-opentelemetry');
putenv('SENTRY_RELEASE=of-sentry');
profiled('the first of two variables', '', [$always], ['of-opentelemetry', 'of-sentry', 'of-datadog', 'v7']);
profiled('settings first', '', [$always, 'xhprof.app=from-ini', 'xhprof.release=2026.11'], ['from-ini', '2026.11', 'of-sentry']);

profiled('by chance', '', [$always, 'xhprof.rate=0.999999'], ['rate', '0.999999', 'trigger']);
profiled('by chance, the program knows better', 'xhprof_tag("rate", "0.25");', [$always, 'xhprof.rate=0.999999'], ['rate', '0.999999', '0.25']);
$own = 'xhprof_enable(); $own = xhprof_write(); $text = file_get_contents($own); unlink($own);
    exit(str_contains($text, "0.999999") ? 1 : (str_contains($text, "from-ini") ? 0 : 2));';
profiled('a profile that the program began is not chosen by chance, the other is', $own,
    [$always, 'xhprof.rate=0.999999', 'xhprof.app=from-ini'], ['from-ini', '0.999999']);
putenv('ASKED=1');
profiled('by the trigger', '', ['xhprof.auto_enable=trigger', 'xhprof.trigger=ASKED', 'xhprof.rate=0.5'], ['trigger', 'rate']);
profiled('an extension\'s tag is its own', 'set_error_handler(fn () => true); exit((int) xhprof_tag("trigger", "0"));', [$always], ['trigger']);
?>
--EXPECT--
nothing is known: no release no rate no trigger exit_status
settings: from-ini 2026.11
the program: of-tag of-ini-set no from-ini no 2026.11
the environment: of-datadog v7
the first of two variables: of-opentelemetry of-sentry no of-datadog no v7
settings first: from-ini 2026.11 no of-sentry
by chance: rate 0.999999 no trigger
by chance, the program knows better: rate no 0.999999 0.25
a profile that the program began is not chosen by chance, the other is: from-ini 0.999999
by the trigger: trigger no rate
an extension's tag is its own: no trigger
