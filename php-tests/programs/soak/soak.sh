# `./x soak`: MediaWiki under php-fpm and wrk, every request profiled. Sourced by `x`.
#
# It checks that no process crashes, no answer changes, and the workers' memory does
# not grow. Programs are unpacked, not installed; files are in a folder of its own;
# the port is a free one on 127.0.0.1.

source scripts/debian.sh

soak=${release%/release}/soak
extension=$release/libxhprof.so
slice=5

soak_run() {
    local requests=${1:-20000} engine engines=(execute observer)
    [ -z "${2:-}" ] || engines=("$2")
    [[ $requests =~ ^[0-9]+$ ]] || die "soak: the number of requests is not a number: $requests"
    local name
    name=$(debian_php)
    fpm=$soak/unpacked/usr/sbin/php-fpm${name#php}
    unpack_packages --alone "$soak/unpacked" mediawiki mediawiki-classes nginx nginx-common "$name-fpm" "$name-apcu"
    soak_wiki
    trap soak_stop EXIT
    trap 'exit 143' TERM INT
    soak_paths >"$soak/paths"
    soak_answers
    for engine in "${engines[@]}"; do soak_engine "$engine" $((requests / ${#engines[@]})); done
    say 'no crash, no error, the same answers, and memory did not grow'
}

# Makes a new wiki in one folder, with pages that use many features of the parser.
soak_wiki() {
    local page site=$soak/site
    rm -rf "$site" "$soak"/{plain,execute,observer}* && mkdir -p "$site"
    plain_scan_directory "$soak/conf.d"
    export PHP_INI_SCAN_DIR=$soak/conf.d
    cp -R "$soak/unpacked/usr/share/mediawiki/." "$site/"
    # Debian's links lead to the folders of an installed package.
    rm -f "$site"/{extensions,config,images,LocalSettings.php}
    ln -s extensions-core "$site/extensions"
    mkdir "$site"/{images,cache,data}
    port=$("$PHP" -n -r 'echo explode(":", stream_socket_get_name(stream_socket_server("tcp://127.0.0.1:0"), false))[1];')
    "$PHP" "$site/maintenance/install.php" --dbtype sqlite --dbpath "$site/data" --dbname wiki \
        --server "http://127.0.0.1:$port" --scriptpath '' --pass "soak-$RANDOM-$RANDOM" Soak Admin \
        >"$soak/install.log" 2>&1 || die "MediaWiki was not installed: $(tail -n 5 "$soak/install.log")"
    cat >>"$site/LocalSettings.php" <<'PHP'
foreach (['ParserFunctions', 'Cite', 'CategoryTree', 'Poem', 'ImageMap'] as $extension) wfLoadExtension($extension);
foreach (['Vector', 'MonoBook', 'Timeless'] as $skin) wfLoadSkin($skin);
$wgMainCacheType = PHP_SAPI === 'cli' ? CACHE_NONE : CACHE_ACCEL;
$wgJobRunRate = 0;
$wgUseFileCache = false;
$wgEnableUploads = false;
PHP
    "$PHP" "$site/maintenance/update.php" --quick --quiet >>"$soak/install.log" 2>&1
    for page in Template:Row Long Cited; do
        soak_page "$page" | "$PHP" "$site/maintenance/edit.php" --quiet "$page" >>"$soak/install.log" 2>&1
    done
    "$PHP" "$site/maintenance/runJobs.php" --quiet >>"$soak/install.log" 2>&1
    say "MediaWiki $(sed -n "s/^define( 'MW_VERSION', '\(.*\)' );/\1/p" "$site/includes/Defines.php") on SQLite, port $port"
}

soak_page() {
    local i
    case $1 in
    Template:Row) echo '{{#if: {{{1|}}} | <tr><td>{{{1}}}</td><td>{{#expr: {{{1}}} * 7 mod 13}}</td></tr> }}' ;;
    Long)
        for ((i = 1; i <= 40; i++)); do
            echo "== Section $i =="
            echo "''Some'' [[Cited|text]] of '''section $i''', [[Missing $i]], {{lc:ABC}} {{#switch: $i | 1 = one | #default = more }}"
            echo "<table>{{Row|$i}}{{Row|$((i * 3))}}</table>"
        done
        ;;
    Cited)
        for ((i = 1; i <= 30; i++)); do echo "A claim.<ref>Source $i, page {{#expr: $i + 100}}.</ref> [[Category:C$i]]"; done
        echo '<references />'
        ;;
    esac
}

soak_paths() {
    cat <<'PATHS'
/index.php?title=Main_Page
/index.php?title=Long
/index.php?title=Long&action=history
/index.php?title=Cited&useskin=monobook
/index.php?title=Cited&action=raw
/index.php?title=Special:Version
/index.php?title=Special:AllPages&useskin=timeless
/index.php?title=Special:SpecialPages
/index.php?title=Not_there
/index.php?title=Special:Search&search=section
/api.php?action=query&meta=siteinfo&siprop=general|namespaces&format=json
/api.php?action=parse&page=Long&format=json&disablelimitreport=1&prop=text|links|sections
/api.php?action=query&list=allpages&format=xml
/load.php?modules=startup&only=scripts&raw=1&skin=vector
PATHS
}

# soak_start NAME OPTION…: starts php-fpm with these options, and nginx in front.
soak_start() {
    local name=$1 root=()
    shift
    [ "$(id -u)" != 0 ] || root=(--allow-to-run-as-root)
    cat >"$soak/fpm.conf" <<CONF
[global]
error_log = $soak/$name.fpm.log
daemonize = no
[www]
listen = $soak/fpm.sock
pm = static
pm.max_children = 4
catch_workers_output = yes
$([ "$(id -u)" != 0 ] || printf 'user = root\ngroup = root')
CONF
    cat >"$soak/nginx.conf" <<CONF
daemon off; pid $soak/nginx.pid; error_log $soak/$name.nginx.log; worker_processes 1;
$([ "$(id -u)" != 0 ] || echo 'user root;')
events { }
http {
    access_log off;
    client_body_temp_path $soak/nginx.body; fastcgi_temp_path $soak/nginx.fastcgi;
    proxy_temp_path $soak/nginx.proxy; uwsgi_temp_path $soak/nginx.uwsgi; scgi_temp_path $soak/nginx.scgi;
    server {
        listen 127.0.0.1:$port;
        root $soak/site;
        location ~ \\.php\$ {
            include $soak/unpacked/etc/nginx/fastcgi_params;
            fastcgi_param SCRIPT_FILENAME \$document_root\$fastcgi_script_name;
            fastcgi_pass unix:$soak/fpm.sock;
            fastcgi_read_timeout 120s;
            add_header X-Soak \$request_uri always;
        }
    }
}
CONF
    "$fpm" --nodaemonize "${root[@]}" --fpm-config "$soak/fpm.conf" -d opcache.enable=1 \
        -d extension="$(find "$soak/unpacked/usr/lib/php" -name apcu.so)" \
        -d opcache.memory_consumption=256 -d opcache.max_accelerated_files=20000 "$@" >"$soak/$name.fpm.out" 2>&1 &
    fpm_pid=$!
    "$soak/unpacked/usr/sbin/nginx" -c "$soak/nginx.conf" -e "$soak/$name.nginx.log" >"$soak/$name.nginx.out" 2>&1 &
    nginx_pid=$!
    local try
    for ((try = 0; try < 50; try++)); do
        if curl --silent --fail --max-time 60 --output /dev/null "http://127.0.0.1:$port/load.php"; then return; fi
        sleep 0.2
    done
    die "php-fpm and nginx do not answer: $(tail -n 5 "$soak/$name".{fpm,nginx}.*)"
}

soak_stop() {
    local pid try
    for pid in ${nginx_pid:-} ${fpm_pid:-}; do
        kill -TERM "$pid" 2>/dev/null || true
        for ((try = 0; try < 50; try++)); do
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.1
        done
        kill -KILL "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    rm -f "$soak/fpm.sock"
    nginx_pid='' fpm_pid=''
}

# Gets the pages without the profiler, from two servers with full caches. What differs
# between these two may differ between any two.
soak_answers() {
    local server
    for server in 1 2; do
        soak_start plain
        soak_fetch "$soak/plain-0"
        soak_fetch "$soak/plain-$server"
        soak_stop
    done
    "$PHP" -n php-tests/programs/soak/same-answers.php "$soak/plain-1" "$soak/plain-2" >"$soak/plain.same" ||
        die "two requests without the profiler have nothing in common: $(cat "$soak/plain.same")"
    say "without the profiler: $(tail -n 1 "$soak/plain.same")"
}

soak_fetch() {
    local folder=$1 number=0 path
    mkdir -p "$folder"
    while IFS= read -r path; do
        number=$((number + 1))
        curl --silent --globoff --max-time 60 --write-out '\n%{http_code}\n' "http://127.0.0.1:$port$path" >"$folder/$number"
    done < <(soak_paths)
}

# soak_engine ENGINE REQUESTS
soak_engine() {
    local engine=$1 requests=$2 done=0 bad=0 profiles=0 read=0 round=0 began=$SECONDS count options=() workers
    [ "$engine" = execute ] || options=(-d opcache.jit=tracing -d opcache.jit_buffer_size=64M)
    mkdir -p "$soak/$engine.profiles"
    soak_start "$engine" -d extension="$extension" -d xhprof.engine="$engine" -d xhprof.auto_enable=1 \
        -d xhprof.flags='cpu memory' -d xhprof.output_dir="$soak/$engine.profiles" "${options[@]}"
    workers=$(pgrep -d ' ' -P "$fpm_pid")
    say "$engine${options[*]:+, JIT on}: $requests requests, workers $workers"
    : >"$soak/$engine.memory"
    while [ "$done" -lt "$requests" ]; do
        [ $((SECONDS - began)) -lt 3600 ] || die "only $done requests in an hour"
        soak_slice "$engine"
        round=$((round + 1))
        done=$((done + $(sed -n 's/^requests //p' "$soak/$engine.wrk")))
        count=$(sed -n 's/^bad //p' "$soak/$engine.wrk")
        bad=$((bad + count))
        [ "$count" = 0 ] || cp "$soak/$engine.wrk" "$soak/$engine.wrk.$round"
        soak_profiles "$engine"
        soak_memory "$done" "$workers" >>"$soak/$engine.memory"
    done
    soak_fetch "$soak/$engine-answers"
    soak_same_workers "$engine" "$workers"
    soak_stop
    soak_profiles "$engine"
    say "$engine: $done requests in $((SECONDS - began)) s, $profiles profiles; xhprof report read $read of them"
    soak_memory_table "$engine"
    [ "$bad" = 0 ] || die "$bad answers were errors or not the same, see $soak/$engine.wrk.*"
    [ "$profiles" -ge "$done" ] || die "not every request was profiled"
    "$PHP" -n php-tests/programs/soak/same-answers.php "$soak/plain-1" "$soak/plain-2" "$soak/$engine-answers" ||
        die 'answers changed, see above'
}

# Sends requests for some seconds. Every answer is compared, with numbers masked.
soak_slice() {
    SOAK_ANSWERS=$soak/plain-1 SOAK_PATHS=$soak/paths wrk --threads 1 --connections 4 --duration ${slice}s \
        --timeout 60s --script php-tests/programs/soak/soak.lua "http://127.0.0.1:$port" >"$soak/$1.wrk" 2>&1 ||
        die "wrk failed: $(tail -n 5 "$soak/$1.wrk")"
    grep -q '^requests ' "$soak/$1.wrk" || die "wrk printed no number of requests: $(tail -n 5 "$soak/$1.wrk")"
}

# Counts the profiles, reads some, and deletes them.
soak_profiles() {
    local file files
    mapfile -t files < <(find "$soak/$1.profiles" -name '*.xhp')
    for file in "${files[@]:0:10}"; do
        "$release/xhprof" report --limit 1 "$file" >"$soak/$1.report" 2>&1 ||
            die "cannot be read: $file: $(head -n 1 "$soak/$1.report")"
        read=$((read + 1))
    done
    profiles=$((profiles + ${#files[@]}))
    # Profiles written during this are counted the next time.
    printf '%s\0' "${files[@]}" | xargs -0 rm -f
}

soak_same_workers() {
    local now
    now=$(pgrep -d ' ' -P "$fpm_pid") || true
    [ "$now" = "$2" ] || die "the workers were $2 and are $now: $(cat "$soak/$1.fpm.log")"
    if grep -E 'exited on signal|SIGSEGV|SIGABRT' "$soak/$1.fpm.log"; then die 'a worker died'; fi
}

# Writes one line a worker: requests so far, pid, and KiB of memory: resident,
# proportional, private.
soak_memory() {
    local pid
    for pid in $2; do
        awk -v requests="$1" -v pid="$pid" '/^Rss:/ { rss = $2 } /^Pss:/ { pss = $2 }
            /^Private_(Clean|Dirty):/ { own += $2 }
            END { print requests, pid, rss, pss, own }' "/proc/$pid/smaps_rollup"
    done
}

# The first third of a run fills caches. A worker that is measured in the middle of a
# request has up to 8 MiB more than one that waits. So the last third of the measurements
# is compared with the middle third twice, by their medians and by their lowest: a leak
# raises both. One worker may meet a large page late, and its heap keeps a chunk more; a
# leak is in all of them. So half of the workers must not have more than 1 MiB more.
soak_memory_table() {
    awk '
        { if ($1 != last) { last = $1; at[++n] = $1 } rss[n, $2] = $3; pss[n, $2] = $4; own[n, $2] = $5; pids[$2] }
        # The sorted measurements of one worker after `first`, up to `end`: how many.
        function sort(kind, pid, first, end,    i, j, k, it) {
            for (i = first + 1; i <= end; i++) {
                it = kind[i, pid]
                for (j = k++; j > 0 && sorted[j] > it; j--) sorted[j + 1] = sorted[j]
                sorted[j + 1] = it
            }
            return k
        }
        function thirds(kind, pid,    third, before, k) {
            third = int(n / 3)
            k = sort(kind, pid, third, n - third)
            before = sorted[int((k + 1) / 2)]
            lowest = sorted[1]
            k = sort(kind, pid, n - third, n)
            more = sorted[int((k + 1) / 2)] - before
            more_of_lowest = sorted[1] - lowest
            return sprintf("%7d %7d", before, before + more)
        }
        END {
            if (n < 9) { print "nine measurements are needed, and there are " n ": more REQUESTS"; exit 1 }
            printf "%-8s %-17s %-17s %-17s   (KiB, medians of the middle and the last third of %d requests)\n", "worker", "resident", "proportional", "private", at[n]
            for (p in pids) {
                printf "%-8s %s  %s  %s\n", p, thirds(rss, p), thirds(pss, p), thirds(own, p)
                workers++
                if (more > 1024 && more_of_lowest > 1024) grown++
            }
            exit 2 * grown >= workers
        }' "$soak/$1.memory" || die 'the workers grow'
}
