<?php

/* Plugin Name: XHProf's panel in Query Monitor */

// As wp-content/mu-plugins/xhprof-panel.php, beside the folder php/ as wp-content/mu-plugins/xhprof. With Composer's
// autoloader in wp-config.php, as in Bedrock, without this line.
require_once __DIR__ . '/xhprof/autoload.php';

Xhprof\Bridge\QueryMonitorPanel::register();
