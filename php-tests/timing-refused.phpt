--TEST--
Adaptive timing with events or xhprof.compensate records nothing, and says why; wrong values are named
--EXTENSIONS--
xhprof
--FILE--
<?php
function a() {}

set_error_handler(function ($level, $message) { echo $message, "\n"; });
function attempt(array $options): void
{
    xhprof_enable(XHPROF_FLAGS_NO_BUILTINS, $options);
    a();
    $profile = xhprof_disable();
    echo json_encode($profile === null ? null : array_map(fn ($row) => $row['ct'], $profile)), "\n";
}

attempt(['timing' => 'adaptive', 'mode' => 'events']);
attempt(['timing' => 'sometimes']);
attempt(['timing' => 3]);
attempt(['timimg' => 'adaptive']);
var_dump(ini_set('xhprof.timing', 'never'));
var_dump(ini_set('xhprof.timing', 'adaptive'));
attempt(['mode' => 'events']);
attempt([]);
ini_set('xhprof.compensate', 1);
attempt([]);
attempt(['timing' => 'exact']);
?>
--EXPECT--
xhprof_enable(): nothing is recorded: call events have the time of every call; set timing to exact, or mode to tree or edges
null
xhprof_enable(): option "timing" must be exact or adaptive, not "sometimes"
{"main()==>a":1,"main()":1}
xhprof_enable(): option "timing" must be exact or adaptive, not int
{"main()==>a":1,"main()":1}
xhprof_enable(): option "timimg" is not known; did you mean "timing"?
{"main()==>a":1,"main()":1}
ini_set(): xhprof.timing must be exact or adaptive, not "never"; it stays as it was
bool(false)
string(5) "exact"
xhprof_enable(): nothing is recorded: call events have the time of every call; set timing to exact, or mode to tree or edges
null
{"main()==>a":1,"main()":1}
xhprof_enable(): nothing is recorded: xhprof.compensate needs the time of every call; set it to 0, or timing to exact: adaptive timing subtracts its own cost anyway
null
{"main()==>a":1,"main()":1}
