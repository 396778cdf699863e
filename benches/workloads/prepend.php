<?php
// Profiles the program that runs after it (auto_prepend_file) with the loaded
// profiler: BENCH_FLAGS as in calls.php, into the file BENCH_PROFILE.

require __DIR__ . '/profiler.php';

register_shutdown_function(static function () {
    file_put_contents(getenv('BENCH_PROFILE'), serialize(profile_end(profiler())));
});
profile_begin(profiler(), getenv('BENCH_FLAGS'));
