<?php

declare(strict_types=1);

namespace Xhprof;

/** What to measure. */
final class Options
{
    /**
     * @param bool $cpu CPU time, too
     * @param bool $memory memory in use and its peak, too
     * @param bool $builtins PHP's own functions, too
     * @param bool $statements SQL statements, URLs and commands, without their literals
     * @param array<string, string> $tags as xhprof_tag() sets them
     * @param list<string> $ignoredFunctions names, or patterns such as `PHPUnit\*`: such functions
     *     have no entry, and their callees become those of their caller
     * @param bool $files the top level of files as functions, too: `run_init::views/page.blade.php`
     */
    public function __construct(
        public readonly bool $cpu = false,
        public readonly bool $memory = true,
        public readonly bool $builtins = true,
        public readonly bool $statements = true,
        public readonly Mode $mode = Mode::Edges,
        public readonly string $title = '',
        public readonly array $tags = [],
        public readonly array $ignoredFunctions = [],
        public readonly bool $files = false,
    ) {
    }

    /** The flags of xhprof_enable(). */
    public function flags(): int
    {
        // The constants' values, which are also known without the extension.
        return ($this->builtins ? 0 : 1) | ($this->cpu ? 2 : 0) | ($this->memory ? 4 : 0);
    }

    /**
     * The options of xhprof_enable().
     *
     * @return array{mode: 'edges'|'tree', title?: string, tags?: array<string, string>, ignored_functions?: list<string>}
     */
    public function options(): array
    {
        $options = ['mode' => $this->mode->value];
        if ($this->title !== '') {
            $options['title'] = $this->title;
        }
        if ($this->tags !== []) {
            $options['tags'] = $this->tags;
        }
        if ($this->ignoredFunctions !== []) {
            $options['ignored_functions'] = $this->ignoredFunctions;
        }
        return $options;
    }

    /**
     * The settings that must have another value while the profile begins.
     *
     * @return array<string, string>
     */
    public function settings(): array
    {
        return [
            'xhprof.collect_additional_info' => $this->statements ? '1' : '0',
            // {closure:src/Shop.php:12} can be found by people; {closure} cannot.
            'xhprof.closure_names' => '1',
        ] + ($this->files ? ['xhprof.run_init' => '1'] : []);
    }
}
