--TEST--
A closure is recorded as {closure} with its namespace, and with its class inside one
--EXTENSIONS--
xhprof
--FILE--
<?php
namespace Shop {
    require __DIR__ . '/../include/calls.php';

    class Cart
    {
        public function total() { return (function () { return 1; })(); }
        public static function fixed() { return (static fn () => 2)(); }
    }
    function outer() { return (fn () => 3)(); }

    xhprof_enable(XHPROF_FLAGS_NO_BUILTINS);
    (new Cart)->total();
    Cart::fixed();
    outer();
    (function () {})();
    $profile = xhprof_disable();

    // PHP 8.4 and later name a closure by where it is: {closure:Shop\outer():10}.
    $plain = [];
    foreach ($profile as $edge => $cost) {
        $plain[preg_replace('~(?:Shop\\\\)?\{closure(?::[^}]*)?\}~', 'Shop\{closure}', $edge)] = $cost;
    }
    print_calls($plain);
    $is_named_by_place = isset($profile['Shop\outer==>{closure:Shop\outer():10}']);
    var_dump($is_named_by_place === (PHP_VERSION_ID >= 80400));
}
?>
--EXPECT--
Shop\Cart::total==>Shop\Cart::Shop\{closure}: 1
main()==>Shop\Cart::total: 1
Shop\Cart::fixed==>Shop\Cart::Shop\{closure}: 1
main()==>Shop\Cart::fixed: 1
Shop\outer==>Shop\{closure}: 1
main()==>Shop\outer: 1
main()==>Shop\{closure}: 1
main(): 1
bool(true)
