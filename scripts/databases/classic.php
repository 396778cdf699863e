<?php
// Before program.php: profiles it into an array, which goes into a file.

xhprof_enable();
register_shutdown_function(function () {
    file_put_contents(getenv('XHPROF_ARRAY'), serialize(xhprof_disable()));
});
