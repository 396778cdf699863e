--TEST--
Streams are spans if they lead to another machine, without user, query and fragment; files are not
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/child.php';
require __DIR__ . '/../include/spans.php';

[$file] = spans_of('<?php
// No server listens on port 1 of this machine.
function fetch() {
    @file_get_contents("http://user:secret@127.0.0.1:1/path?token=secret#secret");
    @fopen("FTP://127.0.0.1:1/a b", "r");
    @file("https://127.0.0.1:1/x");
    @file("https://127.0.0.1:1/reset/3f2a9c/user/17/edit.html");
    @copy("http://127.0.0.1:1/y?secret", "/nowhere/secret");
    @file_get_contents("/nowhere/secret");
    @file_get_contents("php://memory");
    @file_get_contents("data://text/plain,secret");
    @fopen("glob:///secret/*", "r");
    @file_get_contents("file:///secret");
    try { file_get_contents("http://\0secret"); } catch (ValueError) {}
    try { fopen(); } catch (ArgumentCountError) {}
}
fetch();
', 'xhprof.mode=tree', 'allow_url_fopen=1');
print_spans($file);
?>
--EXPECT--
fetch file_get_contents: http http://127.0.0.1:1/path
fetch fopen: stream FTP://127.0.0.1:1/?
fetch file: http https://127.0.0.1:1/x
fetch file: http https://127.0.0.1:1/reset/?/user/?/edit.html
fetch copy: http http://127.0.0.1:1/y
fetch file_get_contents: http http://?
