<?php

// Runs before program.php: profiles it and writes the array into a file.

xhprof_enable();
register_shutdown_function(function () {
    file_put_contents(getenv('XHPROF_ARRAY'), serialize(xhprof_disable()));
});
