<?php
namespace App;
class Cache { 
  function get($k) { return strlen($k); }
  static function make() { return new self; }
  function __destruct() { usleep(100); }
}
function fib($n) { return $n < 2 ? $n : fib($n-1) + fib($n-2); }
function gen() { for ($i = 0; $i < 3; $i++) { $x = yield $i; usleep(50); } return 5; }
function run() {
  $c = Cache::make();
  for ($i = 0; $i < 3; $i++) $c->get("k$i");
  fib(4);
  foreach (gen() as $v) { strlen("a"); }
  array_map(function ($x) { return $x * 2; }, [1, 2]);
  $f = new \Fiber(function () { \Fiber::suspend(1); usleep(10); fib(1);});
  $f->start(); strlen("x"); $f->resume();
  eval('strlen("evald");');
  include __DIR__.'/inc.php';
  try { thrower(); } catch (\Exception $e) {}
  $o = new class { function hi() { return 1; } }; $o->hi();
}
function thrower() { thrower2(); }
function thrower2() { throw new \Exception('x'); }
run();
