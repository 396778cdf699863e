<?php

/**
 * Runs the scenarios of `xhprof check` that need a server: the YAML of docs/ci.md with
 * PHP's built-in server, requests of every kind, and scenarios at once.
 *
 *     php -n check.php EXTENSION PROGRAM
 */

[, $extension, $program] = $argv;
[$extension, $program] = [realpath($extension), realpath($program)];
$folder = sys_get_temp_dir() . '/xhprof-check-' . getmypid();
register_shutdown_function(fn () => exec('rm -rf ' . escapeshellarg($folder)));
foreach (['bin', 'public', 'profiles'] as $name) {
    mkdir("$folder/$name", 0700, true);
}
$checks = $failed = 0;

function check(string $what, mixed $found, mixed $expected = true): void
{
    global $checks, $failed;
    $checks++;
    if ($found !== $expected) {
        $failed++;
        echo "$what: ", json_encode($found, JSON_UNESCAPED_SLASHES), ' instead of ', json_encode($expected, JSON_UNESCAPED_SLASHES), "\n";
    }
}

/** Runs `xhprof check` with this file; returns its exit code and what it prints. */
function checked(string $yaml, string ...$options): array
{
    global $folder, $program, $extension;
    file_put_contents("$folder/xhprof.yaml", $yaml);
    $command = [$program, 'check', '--php', "$folder/bin/plain", '--extension', $extension, ...$options];
    $process = proc_open($command, [['file', '/dev/null', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes, $folder, ['PATH' => "$folder/bin:" . getenv('PATH'), 'XHPROF_SECRET' => 'a; secret'] + getenv());
    $output = (string) stream_get_contents($pipes[1]);
    return [proc_close($process), $output];
}

/** Writes a program that runs PHP with these settings only. */
function php(string $name, array $settings): void
{
    global $folder;
    $options = '';
    foreach ($settings as $setting => $value) {
        $options .= ' -d ' . escapeshellarg("$setting=\"$value\"");
    }
    file_put_contents("$folder/bin/$name", "#!/bin/sh\nexec " . escapeshellarg(PHP_BINARY) . " -n$options \"\$@\"\n");
    chmod("$folder/bin/$name", 0700);
}

php('plain', []);
php('php', [
    'extension' => $extension, 'xhprof.auto_enable' => 'trigger', 'xhprof.trigger' => 'XHPROF', 'xhprof.trigger_secret' => 'a; secret',
    'xhprof.collect_additional_info' => '1', 'xhprof.output_dir' => "$folder/profiles", 'xhprof.output_name' => '%t.%i',
]);
// Counts its requests; the second path answers 201 to the right request only.
file_put_contents("$folder/public/index.php", <<<'PHP'
    <?php
    function article(): void {}
    $counter = __DIR__ . '/../requests';
    file_put_contents($counter, (int) @file_get_contents($counter) + 1);
    if ($_SERVER['REQUEST_URI'] === '/orders') {
        $is_right = $_SERVER['REQUEST_METHOD'] === 'POST' && ($_SERVER['HTTP_X_SHOP'] ?? '') === 'a b' && ($_COOKIE['basket'] ?? '') === '7' && file_get_contents('php://input') === '{"id":7}';
        http_response_code($is_right ? 201 : 400);
    }
    article();
    echo 'body';
    PHP);
$port = explode(':', stream_socket_get_name(stream_socket_server('tcp://127.0.0.1:0'), false))[1];

preg_match_all('/^```yaml\n(.*?)^```$/ms', file_get_contents(__DIR__ . '/../../../../docs/ci.md'), $blocks);
$documented = array_values(array_filter($blocks[1], fn ($block) => str_contains($block, 'request:')));
check('docs/ci.md has one example of a request', count($documented), 1);
$yaml = str_replace([':8080', '/var/lib/xhprof'], [":$port", "$folder/profiles"], $documented[0]);
[$status, $said] = checked($yaml);
check("docs/ci.md's request is checked: $said", $status, 0);
check('with five runs', str_contains($said, 'article  5 runs'));
check('after two requests that do not count', file_get_contents("$folder/requests"), '7');
check('the server was stopped', @stream_socket_client("tcp://127.0.0.1:$port", timeout: 1), false);

$server = fn (string $request, string $budget) => <<<YAML
    scenarios:
      - name: order
        set_up: php -S 127.0.0.1:$port -t public >/dev/null 2>&1 & echo \$! >server.pid
        tear_down: kill \$(cat server.pid)
        request: { url: "http://127.0.0.1:$port/orders", trigger: XHPROF, profiles: profiles, $request }
        budgets: ['$budget']
    YAML;
$right = 'method: POST, headers: { X-Shop: "a b" }, cookies: { basket: "7" }, body: "{\"id\":7}"';
[$status, $said] = checked($server("$right, status: 201", 'calls("article") == 1'));
check("method, header, cookie, body and status: $said", $status, 0);
[$status, $said] = checked($server($right, 'calls("article") == 0'));
check("a broken budget: $said", [$status, str_contains($said, '1× article by main()')], [3, true]);
[$status, $said] = checked($server('method: POST', 'edges >= 0'));
check("another answer is an error: $said", [$status, str_contains($said, 'answered with the status 400')], [1, true]);
[$status, $said] = checked($server("$right, secret_env: HOME", 'edges >= 0'));
check("a wrong secret is an error: $said", [$status, str_contains($said, 'no header X-Xhprof-Run')], [1, true]);

// Each waits until the others run, too.
file_put_contents("$folder/wait.php", <<<'PHP'
    <?php
    touch('runs-' . getenv('NUMBER'));
    for ($try = 0; count(glob('runs-*')) < 3; $try++) {
        $try < 600 or exit(1);
        usleep(50_000);
    }
    PHP);
$scenarios = '';
foreach ([1, 2, 3] as $number) {
    $scenarios .= "  - { name: number $number, run: php wait.php, environment: { NUMBER: \"$number\" }, set_up: [echo a$number >>order, echo b$number >>order], tear_down: echo c$number >>order, budgets: [edges >= 0] }\n";
}
[$status, $said] = checked("parallel: 3\nscenarios:\n$scenarios");
check("three scenarios run at once: $said", $status, 0);
check('their results are in the order of the file', preg_match('/number 1.*number 2.*number 3/s', $said), 1);
$order = file("$folder/order", FILE_IGNORE_NEW_LINES);
foreach ([1, 2, 3] as $number) {
    check("set-up and tear-down of number $number", array_values(preg_grep("/$number\$/", $order)), ["a$number", "b$number", "c$number"]);
}
echo "$checks checks, $failed of them failed\n";
exit($failed > 0 ? 1 : 0);
