<?php

/**
 * The functions and constants of the extension "xhprof", for editors and
 * static analysers.
 *
 * This file is never loaded by the extension. A test compares it with the
 * extension's own reflection, in both directions.
 */

/**
 * For {@see xhprof_enable()}: internal functions are not recorded.
 *
 * Their cost is then part of their callers'.
 */
const XHPROF_FLAGS_NO_BUILTINS = 1;

/**
 * For {@see xhprof_enable()}: records CPU time too, as "cpu".
 */
const XHPROF_FLAGS_CPU = 2;

/**
 * For {@see xhprof_enable()}: records memory too, as "mu" and "pmu".
 */
const XHPROF_FLAGS_MEMORY = 4;

/**
 * Starts profiling: every call is recorded.
 *
 * The root of the profile is "main()", wherever this is called; functions that
 * are already running are not in it. While profiling, this does nothing, and the
 * first flags and options stay.
 *
 * ```php
 * xhprof_enable(XHPROF_FLAGS_CPU | XHPROF_FLAGS_MEMORY, [
 *     'mode' => 'tree',
 *     'lines' => true,
 *     'title' => 'SendMail',
 *     'tags' => ['queue' => 'mails'],
 *     'ignored_functions' => ['call_user_func', 'call_user_func_array'],
 * ]);
 * ```
 *
 * If an automatic profile runs (`xhprof.auto_enable`), it is suspended until
 * this one ends, and then has that time as a call of "[profiled by the program]".
 *
 * @param int $flags any of XHPROF_FLAGS_NO_BUILTINS, XHPROF_FLAGS_CPU and
 *     XHPROF_FLAGS_MEMORY, joined by `|`. Wall time and calls are always
 *     recorded.
 * @param array{mode?: 'edges'|'tree'|'events', lines?: bool, title?: string, tags?: array<string, string>, ignored_functions?: string|list<string>} $options
 *     "mode": what is recorded: "edges" (the default) by caller and callee, all
 *     that XHProf's array has; "tree" by whole path, for flame graphs; "events"
 *     each call by itself, in a file that grows as the profile runs. The last
 *     two are for {@see xhprof_write()}.
 *     "lines": whether a "tree", or "events", also has the line of each call,
 *     for `xhprof annotate`.
 *     "title": what the profile is called.
 *     "tags": as {@see xhprof_tag()} sets them.
 *     "ignored_functions": full names of functions that get no entry of their
 *     own, or patterns with a `*` (`PDO::*`), which ignore case. Their callees
 *     become callees of their caller. `xhprof.exclude` leaves out more.
 *     An option that is unknown or of a wrong type gives a warning and is
 *     ignored.
 *
 * @link https://www.php.net/xhprof_enable
 */
function xhprof_enable(int $flags = 0, array $options = []): void
{
}

/**
 * Stops profiling, or sampling, and returns what was recorded.
 *
 * Each key is a caller and a callee, "main()==>Cache::get", and its value is the
 * total inclusive cost of these calls. The last key is "main()" alone, with the
 * cost of the whole profile. Recursive calls are separated by level:
 * "walk==>walk@1", "walk@1==>walk@2". Compiling an included
 * file is a call of "load::folder/file.php", evaluated code one of
 * "eval::file.php(12) : eval()'d code".
 *
 *  - ct: how often it was called
 *  - wt: wall time, in microseconds
 *  - cpu: CPU time, in microseconds (with XHPROF_FLAGS_CPU)
 *  - mu: memory in use after the call less that before it, in bytes; negative
 *    if more was freed than taken (with XHPROF_FLAGS_MEMORY)
 *  - pmu: the same for the peak of memory (with XHPROF_FLAGS_MEMORY)
 *
 * Tools of XHProf read this array, as `serialize()` writes it, from a file
 * named "<hexadecimal id>.<source>.xhprof".
 *
 * The array is the same in every mode of {@see xhprof_enable()}: with "tree" and
 * "events" the calls are summed up by caller and callee, and the rest is lost.
 * {@see xhprof_write()} keeps it. These two modes name closures by file and line,
 * and keep statements as spans, as files do.
 *
 * @return array<string, array{ct: int, wt: int, cpu?: int, mu?: int, pmu?: int}>|array<string, string>|null
 *     the profile; what {@see xhprof_sample_disable()} returns if sampling was
 *     on; null if nothing was
 *
 * @link https://www.php.net/xhprof_disable
 */
function xhprof_disable(): ?array
{
}

/**
 * Pauses recording until {@see xhprof_resume()}: calls, time and samples in
 * between are not recorded.
 *
 * @return bool whether a profile was recording
 */
function xhprof_pause(): bool
{
}

/**
 * Resumes recording after {@see xhprof_pause()}.
 *
 * @return bool whether a profile was paused
 */
function xhprof_resume(): bool
{
}

/**
 * Ends the profile that {@see xhprof_enable()} or {@see xhprof_sample_enable()}
 * began, and writes it to a file.
 *
 * It is written like an automatic one: `xhprof.output_dir`, `output_name`,
 * `output_format`, `file_permissions` and `max_dir_size` apply to it, and it has
 * the title and tags that the program set. The file is written atomically, and
 * replaces a symbolic link. For workers: one call for each job.
 *
 * ```php
 * xhprof_enable(XHPROF_FLAGS_CPU, ['mode' => 'tree', 'title' => $job::class]);
 * $job->handle();
 * $path = xhprof_write();
 * ```
 *
 * @param string|null $file where to write in place of that: a directory, or a
 *     file, whose ending .xhp, .xhprof or .json says in which format. Call
 *     events are written as .xhp only.
 *
 * @return string|false the file's path; false, with a warning that says why, if
 *     there is none. The profile has ended in either case, unless $file is not
 *     allowed (`open_basedir`) or no path.
 */
function xhprof_write(?string $file = null): string|false
{
}

/**
 * Writes the profile so far; recording continues.
 *
 * The file is written atomically, and readable by its owner only. It replaces a
 * regular file or a symbolic link, but none into `/proc`, and nothing else. Open calls are in it as if
 * they returned now. Not for `xhprof.mode=events`.
 *
 * With `xhprof.collect_additional_info`, what calls waited for is where the
 * profile that runs has it: in names (`PDO::query#SELECT ?`) if it is one of
 * {@see xhprof_enable()} or its own format is an array's; beside the calls if
 * it is an automatic one with native files. The latter's `native` dumps have
 * it, its arrays have plain names: CPU time and memory were summed without
 * telling statements apart, so rows with them cannot be made afterwards.
 *
 * @param string $format native, xhprof (as PHP serializes the array) or json
 *
 * @return bool false, with a warning that says why, if it is not written
 */
function xhprof_dump(string $file, string $format = 'native'): bool
{
}

/**
 * The status of the running profile.
 *
 * "mode" is off, edges, tree, events or sample; "automatic" whether that is by
 * `xhprof.auto_enable`; "nodes" the number of edges, paths or stacks so far.
 * "compared" is how many functions and files were compared with the patterns of
 * `xhprof.exclude` and `ignored_functions`: each once, however often it is called.
 * "decision" says whether the request is profiled automatically, and by which
 * rule: "profiled: xhprof.trigger", "not profiled: xhprof.rate".
 *
 * @return array{mode: string, automatic: bool, decision: string, paused: bool, engine: string, functions: int, nodes: int, compared: int, truncated: bool}
 */
function xhprof_status(): array
{
}

/**
 * Starts sampling: records the stack at a regular interval.
 *
 * Much cheaper than profiling, and much less exact: there are no counts of
 * calls and no costs. `xhprof.sampling_interval` says how often, in
 * microseconds, and `xhprof.max_depth` how many functions of a stack are
 * kept; with `xhprof.sampling_clock = cpu` only the time counts in which the
 * program computes. Functions that are already running are not in the stacks.
 * While profiling or sampling, this does nothing.
 *
 * @link https://www.php.net/xhprof_sample_enable
 */
function xhprof_sample_enable(): void
{
}

/**
 * Stops sampling, or profiling, and returns what was recorded.
 *
 * Each key is the time at which a slot of `xhprof.sampling_interval` begins, in
 * seconds with six digits after the point ("1700000000.100000"), and its value
 * the stack that was seen for it, outermost first:
 * "main()==>Page::render==>Cache::get". What runs for long has many slots.
 *
 * @return array<string, string>|array<string, array{ct: int, wt: int, cpu?: int, mu?: int, pmu?: int}>|null
 *     the samples; what {@see xhprof_disable()} returns if profiling was on;
 *     null if nothing was
 *
 * @link https://www.php.net/xhprof_sample_disable
 */
function xhprof_sample_disable(): ?array
{
}

/**
 * Adds a tag to the profile, for the people who read it.
 *
 * If the program has begun a profile, the tag is recorded with that profile only.
 * Otherwise it belongs to the request: its automatic profile
 * (`xhprof.auto_enable`) has it, and each profile that the program begins
 * afterwards. Without a profile this costs almost nothing. The same key again
 * replaces the value. At most 64 tags; values are cut after 1,024 bytes.
 *
 * The tag "route" says which page or job it is: the profile's title and `%R` in
 * `xhprof.output_name` have it. Without it the route is the path of the request
 * with `?` for numbers, hashes and the like.
 *
 * ```php
 * xhprof_tag('route', 'article_show');
 * xhprof_tag('release', '2026-11-21');
 * ```
 *
 * @param string $key 1 to 64 letters, digits, "_" and "-"; not one of those
 *     that every profile has: method, status, path, script, http_host,
 *     exit_status, failed, peak_memory, loaded, opcache
 * @param string $value text; never put there what must not be read by people
 *     who read profiles
 *
 * @return bool false, after a warning, if the tag is not recorded
 */
function xhprof_tag(string $key, string $value): bool
{
}
