--TEST--
A load:: row has the last directory and the file, whatever the path looks like
--EXTENSIONS--
xhprof
--FILE--
<?php
require __DIR__ . '/../include/calls.php';
require __DIR__ . '/../include/child.php';

$directory = make_directory();
mkdir("$directory/deep dir");
file_put_contents("$directory/deep dir/größe file.php", '<?php return 1;');
file_put_contents("$directory/noextension", '<?php return 1;');
symlink("$directory/noextension", "$directory/link");
chdir("$directory/deep dir");

xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
include "$directory/deep dir/größe file.php";
include "$directory//./noextension";
include "$directory/link";
include 'größe file.php';
include './größe file.php';
$profile = xhprof_disable();
unlink("$directory/deep dir/größe file.php");
rmdir("$directory/deep dir");
remove_directory($directory);

$edges = array_map(fn ($edge) => str_replace(basename($directory), 'DIR', $edge), array_keys($profile));
sort($edges);
echo implode("\n", $edges), "\n";
echo array_sum(array_column($profile, 'ct')) - 1, " files\n";
?>
--EXPECTF--
main()
main()==>load::%Agröße file.php
%Amain()==>load::deep dir/größe file.php
%A
5 files
