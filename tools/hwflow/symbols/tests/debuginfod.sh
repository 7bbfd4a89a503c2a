#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# debuginfod.sh BUILD - separate debug files from a server of debuginfod: names and lines if DEBUGINFOD_URLS names
# the server, progress on a terminal, and no request without the variable. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
tools=${CC%gcc}
server= slow=
trap 'kill $server $slow 2>/dev/null; rm -rf "$work"' EXIT
unset DEBUGINFOD_URLS
export DEBUGINFOD_CACHE_PATH=$work/cache HOME=$work/home TMPDIR=$work
mkdir "$HOME" "$work/served" "$work/gone"
cd "$work" || exit 1

command -v debuginfod >/dev/null || {
	echo "ok 1 - debuginfod # SKIP debuginfod is not installed"
	exit 0
}

# a debug file of 64 MB: a download that takes a while
cp "$top/tools/hwflow/tests/stripped.c" .
"$CC" -O1 -g -static -Wl,--build-id -o whole stripped.c
head -c 64M /dev/urandom >noise
"${tools}objcopy" --only-keep-debug whole served/program.debug
"${tools}objcopy" --add-section .noise=noise served/program.debug
"${tools}objcopy" --strip-all whole program
"$hwflow" emulate --quiet -o data -- ./program 2>err
ok $? "a recording" err
id=$(readelf -n program | sed -n 's/.*Build ID: //p')

has_begun() {
	grep -q 'started http server' log && grep -q 'traversed source paths' log
}

# a port that is free; the server scans its files before it answers
for try in 1 2 3 4 5; do
	port=$((20000 + RANDOM % 10000))
	debuginfod -v -d :memory: -p $port -t 0 -g 0 -F served >log 2>&1 &
	server=$!
	wait_for 10 $server has_begun
	kill -0 $server 2>/dev/null && break
done
kill -0 $server 2>/dev/null
ok $? "a server on port $port" log
requests() {
	grep -c "GET /buildid/$id/debuginfo" log
}

"$san" report --limit=0 data >out 2>err
ok $? "report without the variable" err
! grep -q 'first_part' out && [ "$(requests)" = 0 ] && [ ! -e cache ]
ok $? "no names, no request, no cache" out

export DEBUGINFOD_URLS=http://127.0.0.1:$port
"$san" report --limit=0 data >out 2>err
ok $? "report with the variable" err
grep -q 'first_part' out
ok $? "names come from the server" out
[ ! -s err ]
ok $? "without a terminal there is no progress" err
[ "$(requests)" -ge 1 ] && [ -n "$(find cache -name debuginfo -size +60000k)" ]
ok $? "the debug file is in the cache" log

# a server that takes its time
gcc -O1 -Wall -Wextra -Werror -o slow_server "$here/slow_server.c" 2>err
ok $? "slow_server is built" err
./slow_server served/program.debug >slow.port &
slow=$!
wait_for 10 $slow test -s slow.port
url=http://127.0.0.1:$(<slow.port)
DEBUGINFOD_URLS=$url DEBUGINFOD_CACHE_PATH=$work/slow.cache \
	script -qec "'$san' report --limit=0 data >out2" /dev/null </dev/null >terminal 2>&1
ok $? "report with a slow server, on a terminal" terminal
cmp out out2 >err 2>&1
ok $? "the same names" err
grep -q "hwflow: debug file from $url: [0-9.]* of 6[0-9.]* MB, [0-9]*%" terminal
ok $? "progress of the download is on the terminal" terminal
[ "$(tail -c 4 terminal)" = $'\r\033[K' ]
ok $? "and is removed at the end" terminal
before=$(requests)
"$san" script data >out 2>err
grep -q 'first_part.* stripped.c:[0-9]' out && [ "$(requests)" = "$before" ]
ok $? "script has source lines, from the cache" out
"$san" archive data -q 2>err
ok $? "an archive" err
tar --zstd -tf data.tar.zst >list
grep -qxF "files/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug" list
ok $? "has the debug file" list
mv program whole served gone
unset DEBUGINFOD_URLS
export DEBUGINFOD_CACHE_PATH=$work/none
"$san" script data.tar.zst >out2 2>err
cmp out out2 >err 2>&1
ok $? "which is all that the archive needs" err

export DEBUGINFOD_URLS=http://127.0.0.1:1 DEBUGINFOD_TIMEOUT=5
mv gone/program .
"$san" report --limit=0 data >out 2>err
ok $? "report with a server that does not answer" err
! grep -q 'first_part' out
ok $? "has no names" out
done_testing
