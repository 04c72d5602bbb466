#!/bin/sh
# web.sh -- packages/web: its script is read by node; with an emcc, the page is built and its module compiles and runs
# the examples of the page under node, as the page does it in a browser. Ends with "N passed, N failed".
set -u
. tests/scripts/tally.sh
W=build/web
mkdir -p $W
begin $W/jobs
if have node; then
    job "the page's script" "node --check packages/web/demo.js"
    if have emcc; then
        job "the page" "sh packages/web/build.sh $W/xlagpu.html && node tests/scripts/web.js $W/xlagpu.html"
    else absent "emcc (packages/web)"; fi
else absent "node (packages/web)"; fi
run_jobs
finish
