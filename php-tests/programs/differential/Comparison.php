<?php

/** Compares runs of one program. */
final class Comparison
{
    /** Errors of a profile that do not depend on the program. */
    public static function laws(array $profile): array
    {
        $wrong = [];
        if (array_key_last($profile) !== 'main()' || $profile['main()']['ct'] !== 1) {
            $wrong[] = 'main() is not the last row, or not called once';
        }
        $inside = $from = ['main()' => 0];
        foreach ($profile as $edge => $cost) {
            [$caller, $callee] = explode('==>', $edge) + [1 => null];
            if ($caller === $callee) {
                $wrong[] = "calls itself: $edge";
            }
            if ($cost['ct'] < 1 || $cost['wt'] < 0) {
                $wrong[] = "$edge: {$cost['ct']} calls, {$cost['wt']} µs";
            }
            $inside[$callee ?? $caller] = ($inside[$callee ?? $caller] ?? 0) + $cost['wt'];
            if ($callee !== null) {
                $from[$caller] = ($from[$caller] ?? 0) + $cost['wt'];
            }
        }
        foreach ($from as $caller => $time) {
            if (!isset($inside[$caller])) {
                $wrong[] = "$caller has no caller";
            } elseif ($time > $inside[$caller]) {
                $wrong[] = "the callees of $caller took $time µs, and it took {$inside[$caller]}";
            }
        }
        return $wrong;
    }

    /** Differences between the calls of two profiles; `$left` and `$right` are edges and their calls. */
    public static function differences(array $left, array $right): array
    {
        $wrong = [];
        foreach ($left + $right as $edge => $_) {
            $calls = [$left[$edge] ?? 0, $right[$edge] ?? 0];
            if ($calls[0] !== $calls[1]) {
                $wrong[] = "$edge: $calls[0] and $calls[1]";
            }
        }
        return $wrong;
    }

    /**
     * The calls that the tracer knows. `exit`, and the destruction of a fiber, resume
     * each generator that waits for the generator they leave. No PHP code sees that,
     * so generators are not counted then.
     */
    public static function known(array $calls, array $vague, bool $has_levels, bool $is_unwound): array
    {
        $known = [];
        foreach ($calls as $edge => $count) {
            [$caller, $callee] = explode('==>', $edge) + [1 => null];
            $symbol = self::symbol($callee ?? '');
            if (!preg_match(self::KNOWN, $symbol) || ($is_unwound && $symbol[0] === 'g')) {
                continue;
            }
            if (!$has_levels) {
                [$caller, $callee] = [self::symbol($caller), $symbol];
            }
            if (isset($vague[$symbol]) || preg_match('/::__call/', $symbol)) {
                [$caller, $callee] = ['any caller', $symbol];
            }
            $known["$caller==>$callee"] = ($known["$caller==>$callee"] ?? 0) + $count;
        }
        return $known;
    }

    /**
     * Calls without levels, and without callers that the engines may see differently:
     * callers of vague functions, and of functions that only these call.
     */
    public static function folded(array $calls, array $vague): array
    {
        $folded = [];
        foreach ($calls as $edge => $count) {
            [$caller, $callee] = array_map(self::symbol(...), explode('==>', $edge) + [1 => '']);
            if (isset($vague[$callee]) || !preg_match(self::KNOWN, $callee)) {
                $caller = 'any caller';
            }
            $folded["$caller==>$callee"] = ($folded["$caller==>$callee"] ?? 0) + $count;
        }
        return $folded;
    }

    private const KNOWN = '/^([fg]\d|C\d::(?!zork).*|D\d::__destruct|handler|leaf|load|[IB]::.*|(.*::)?\{closure\}'
        . '|array_(map|filter|walk|reduce)|usort|preg_replace_callback|iterator_(to_array|apply)|trigger_error'
        . '|gc_collect_cycles|ob_end_clean|Generator::.*|Fiber::(start|resume|throw|suspend))$/';

    /** A name without its level, with one name for all closures: PHP 8.4 names them by place. */
    private static function symbol(string $label): string
    {
        $name = preg_replace('/@\d+$/', '', $label);
        return preg_match('/^(.*?)\{closure:/', $name, $match) ? "$match[1]{closure}" : $name;
    }
}
