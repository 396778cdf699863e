<?php
// What a program calls, where the extension is not loaded.
function xhprof_enable()
{
}

function xhprof_disable(): array
{
    return [];
}
