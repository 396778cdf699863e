--TEST--
The XHProf settings exist with their defaults and can be changed anywhere
--EXTENSIONS--
xhprof
--FILE--
<?php
$new = [
    'xhprof.output_dir' => '/somewhere',
    'xhprof.sampling_interval' => '5000',
    'xhprof.collect_additional_info' => '1',
];
foreach ($new as $name => $value) {
    $all = ini_get_all('xhprof')[$name];
    var_dump([$name, $all['global_value'] ?? '', $all['access'] === INI_ALL, ini_set($name, $value) !== false, ini_get($name)]);
}
?>
--EXPECT--
array(5) {
  [0]=>
  string(17) "xhprof.output_dir"
  [1]=>
  string(0) ""
  [2]=>
  bool(true)
  [3]=>
  bool(true)
  [4]=>
  string(10) "/somewhere"
}
array(5) {
  [0]=>
  string(24) "xhprof.sampling_interval"
  [1]=>
  string(6) "100000"
  [2]=>
  bool(true)
  [3]=>
  bool(true)
  [4]=>
  string(4) "5000"
}
array(5) {
  [0]=>
  string(30) "xhprof.collect_additional_info"
  [1]=>
  string(1) "0"
  [2]=>
  bool(true)
  [3]=>
  bool(true)
  [4]=>
  string(1) "1"
}
