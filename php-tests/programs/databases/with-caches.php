<?php

// Redis and Memcached: only the names of commands are recorded.

function with_redis(string $sockets): void
{
    $redis = new Redis();
    $command = function (string $method, mixed ...$arguments) use ($redis) {
        waits("Redis::$method", strtoupper($method));
        attempt(fn () => $redis->$method(...$arguments));
    };
    $command('connect', "$sockets/redis.socket");
    [$key, $word] = [secret(), secret()];
    $command('flushAll');
    $command('auth', secret());
    $command('set', $key, $word);
    $command('get', $key);
    $command('setex', $key, number() % 1000 + 1000, $word);
    $command('mset', [secret() => secret(), secret() => secret()]);
    $command('hSet', secret(), secret(), secret());
    $command('sAdd', secret(), secret(), secret());
    $command('zRangeByScore', secret(), '-inf', '+inf');
    $command('eval', "return '" . secret() . "' .. KEYS[1] .. ARGV[1]", [secret(), secret()], 1);
    $command('eval', "return " . secret() . '(', []);
    $command('script', 'load', "return '" . secret() . "'");
    $command('evalsha', sha1(secret()), [secret()]);
    $command('publish', secret(), secret());
    waits('Redis::rawcommand', 'HSET');
    tell($redis->rawCommand('hset', secret(), secret(), secret()));
    waits('Redis::rawcommand', null);
    attempt(fn () => $redis->rawCommand(secret() . ' ' . secret(), secret()));
    tell([$redis->setOption(Redis::OPT_PREFIX, secret()), $redis->isConnected()]);
    foreach (['pipeline' => fn () => $redis->pipeline(), 'multi' => fn () => $redis->multi()] as $name => $begin) {
        if ($name === 'multi') {
            waits('Redis::multi', 'MULTI');
        }
        tell($begin());
        $command('set', $key, secret());
        $command('get', $key);
        $command('exec');
    }
    waits('Redis::multi', 'MULTI');
    tell($redis->multi());
    $command('incr', $key);
    $command('discard');
    $command('select', 1);
    $command('flushDB');
    tell($redis->close());
}

function with_memcached(string $sockets): void
{
    $memcached = new Memcached();
    $command = function (string $method, mixed ...$arguments) use ($memcached) {
        waits("Memcached::$method", strtoupper($method));
        attempt(fn () => $memcached->$method(...$arguments));
        tell($memcached->getResultCode());
    };
    tell($memcached->addServer("$sockets/memcached.socket", 0));
    [$key, $word] = [secret(), secret()];
    $command('set', $key, $word);
    $command('get', $key);
    $command('get', secret());
    $command('setMulti', [secret() => secret(), secret() => [secret(), number()]]);
    $command('getMulti', [$key, secret()]);
    $command('add', $key, secret());
    $command('append', $key, secret());
    $command('set', "counter$key", number() % 1000);
    $command('increment', "counter$key");
    $command('getDelayed', [$key]);
    $command('fetchAll');
    $command('touch', $key, number() % 1000 + 1000);
    $command('delete', $key);
    $command('set', 'a key with blanks ' . secret(), secret());
    $command('getByKey', secret(), secret());
    $command('flush');
}
