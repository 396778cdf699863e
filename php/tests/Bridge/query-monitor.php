<?php

/* Plugin Name: A stand-in for Query Monitor, as far as its panel uses it */

abstract class QM_Collector
{
    public $id = '';

    final public function id()
    {
        return "qm-$this->id";
    }
}

final class QM_Collectors
{
    /** @var array<string, QM_Collector> */
    public static array $all = [];

    public static function get($id)
    {
        return self::$all[$id] ?? null;
    }
}

abstract class QM_Output_Html
{
    public function __construct(protected QM_Collector $collector)
    {
    }

    abstract public function name();

    abstract public function output();

    public function admin_menu(array $menu)
    {
        return $menu + [$this->collector->id() => ['title' => $this->name()]];
    }

    protected function before_non_tabular_output()
    {
        echo '<div class="qm qm-non-tabular" id="', $this->collector->id(), '">';
    }

    protected function after_non_tabular_output()
    {
        echo '</div>';
    }
}

add_action('plugins_loaded', function () {
    QM_Collectors::$all = apply_filters('qm/collectors', []);
});
add_action('shutdown', function () {
    $outputs = apply_filters('qm/outputter/html', [], null);
    echo '<!-- ', implode(', ', array_column(apply_filters('qm/output/menus', []), 'title')), ' -->';
    foreach ($outputs as $output) {
        $output->output();
    }
}, 0);
