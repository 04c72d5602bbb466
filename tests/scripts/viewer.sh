#!/bin/sh
# viewer.sh PAGE.html [FOLDER] -- opens a page of --viewer in a headless Chromium and runs viewer_probe.js behind it;
# with a folder, pictures of its views go there, light and dark, to be looked at. Prints what the probe says.
# viewer.sh --works: exit status 0 where there is a Chromium that opens a page.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
page=$1; pictures=${2:-}
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ "$browser" ] || { echo "viewer.sh: no chromium"; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Two minutes of the processor for each of its processes; by the clock of the wall a loaded machine may take longer.
chrome() (
    ulimit -t 120
    exec timeout 900 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1400,900 \
        --user-data-dir="$work/profile" "$@" 2>/dev/null
)
if [ "$page" = --works ]; then
    echo "<p>it works</p>" > "$work/page.html"
    chrome --dump-dom "file://$work/page.html" | grep -q "it works"
    exit
fi
sed '$d' "$page" > "$work/page.html"
{ echo "<script>"; cat "$here/viewer_probe.js"; echo "</script></html>"; } >> "$work/page.html"
said=$(chrome --dump-dom "file://$work/page.html" | grep -o '<pre>probe: .*' | sed 's/<pre>//; s/<.pre>.*//') || true
[ "$said" ] || said="probe: FAILED: no answer"
echo "$said"
if [ "$pictures" ]; then
    mkdir -p "$pictures"
    cp "$page" "$work/page.html"
    kernel=$(grep -o '"kir/[^/]*/final"' "$page" | head -1 | cut -d / -f 2)
    for theme in light dark; do
        [ $theme = light ] || sed -i 's/^<html lang/<html class="dark" lang/' "$work/page.html"
        for view in overview graph fusions kernels buffers time "kernel/$kernel" stage/2; do
            chrome --virtual-time-budget=3000 --screenshot="$pictures/$theme-$(echo "$view" | tr / -).png" \
                "file://$work/page.html#$view" > /dev/null || true
        done
    done
fi
case $said in *"probe: ok"*) ;; *) exit 1 ;; esac
