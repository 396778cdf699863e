--TEST--
Title, tags and route of a profile that the program began are in its file and its name, and in no other's
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';

function job() {}
/** Which of these texts are in the file, and what the file is called. */
function told(string $path): string
{
    $content = file_get_contents($path);
    $texts = ['Send mails', 'mails.send', 'POST /articles/{id}', 'number', '4711', '4712', 'release', '2026-11-22', 'exit_status', 'late'];
    return preg_replace('/^[0-9a-f]{32}/', 'ID', basename($path)) . ': '
        . implode(', ', array_filter($texts, fn ($text) => str_contains($content, $text))) . "\n";
}

$directory = make_directory();
ini_set('xhprof.output_dir', $directory);
ini_set('xhprof.output_name', '%i-%R');
foreach (['edges', 'tree', 'events'] as $mode) {
    echo "$mode\n";
    xhprof_enable(0, ['mode' => $mode, 'title' => 'Send mails', 'tags' => ['number' => '4711']]);
    job();
    echo told(xhprof_write());
    xhprof_enable(0, ['mode' => $mode, 'title' => 'Send mails', 'tags' => ['number' => '4711']]);
    job();
    xhprof_tag('route', 'mails.send');
    xhprof_tag('number', '4712');
    echo told(xhprof_write());
    xhprof_enable(0, ['mode' => $mode]);
    xhprof_tag('route', 'POST /articles/{id}');
    job();
    echo told(xhprof_write());
    // Once the file has been begun, too.
    xhprof_enable(0, ['mode' => $mode]);
    for ($i = 0; $i < 100_000; $i++) job();
    xhprof_tag('route', 'mails.send');
    xhprof_tag('late', '1');
    echo told(xhprof_write());
    xhprof_enable(0, ['mode' => $mode]);
    echo told(xhprof_write());
    // What is said while none of them runs is said of the request.
    xhprof_tag('release', '2026-11-22');
    xhprof_enable(0, ['mode' => $mode]);
    echo told(xhprof_write());
    xhprof_enable(0, ['mode' => $mode, 'tags' => ['release' => 'late']]);
    echo told(xhprof_write());
    xhprof_tag('release', '');
}
// In an automatically profiled script, each profile has its own.
remove_directory($directory);
$directory = make_directory();
$ended = run_code('<?php
    xhprof_tag("route", "mails.send");
    xhprof_enable(0, ["tags" => ["number" => "4711"]]);
    xhprof_tag("route", "POST /articles/{id}");
    xhprof_write();
    xhprof_sample_enable();
    xhprof_tag("number", "4712");
    xhprof_write();
    xhprof_enable();
    xhprof_tag("late", "1");
    ', 'xhprof.auto_enable=1', "xhprof.output_dir=$directory", 'xhprof.output_name=%u-%R');
echo $ended->output, $ended->errors;
foreach (glob("$directory/*") as $file) echo preg_replace('/^\d+/', 'TIME', told($file));
remove_directory($directory);
?>
--EXPECT--
edges
ID-Send_mails.xhp: Send mails, number, 4711
ID-mails_send.xhp: Send mails, mails.send, number, 4712
ID-POST__articles__id_.xhp: POST /articles/{id}
ID-mails_send.xhp: mails.send, late
ID-noroute.xhp: 
ID-noroute.xhp: release, 2026-11-22
ID-noroute.xhp: release, late
tree
ID-Send_mails.xhp: Send mails, number, 4711, release
ID-mails_send.xhp: Send mails, mails.send, number, 4712, release
ID-POST__articles__id_.xhp: POST /articles/{id}, release
ID-mails_send.xhp: mails.send, release, late
ID-noroute.xhp: release
ID-noroute.xhp: release, 2026-11-22
ID-noroute.xhp: release, late
events
ID-Send_mails.xhp: Send mails, number, 4711, release
ID-mails_send.xhp: Send mails, mails.send, number, 4711, 4712, release
ID-POST__articles__id_.xhp: POST /articles/{id}, release
ID-mails_send.xhp: mails.send, release, late
ID-noroute.xhp: release
ID-noroute.xhp: release, 2026-11-22
ID-noroute.xhp: release, late
TIME-POST__articles__id_.xhp: POST /articles/{id}, number, 4711
TIME-mails_send.xhp: mails.send, number, 4712
TIME-mails_send.xhp: mails.send, exit_status
