#!/usr/bin/env bash
# Runs the sample app, as an app of each generation, at a bridge for samples/shop.
#
#   samples/app/run.sh PATH/TO/dualgauge PATH/TO/ShopApp
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
bridge=$(realpath "$1")
app=$(realpath "$2")
folder=$(mktemp -d)
serving=""
trap '[ -z "$serving" ] || kill "$serving" 2>/dev/null || true; wait "$serving" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
cp "$root"/samples/shop/*.yaml .
"$bridge" serve --config dualgauge.yaml >bridge.log 2>&1 &
serving=$!
until curl -fs -o /dev/null http://127.0.0.1:4984/shop; do
  kill -0 "$serving" 2>/dev/null || { cat bridge.log; exit 1; }
  sleep 0.2
done
echo "== 2.x+"
"$app" 127.0.0.1:4984/shop
echo "== 1.x"
"$app" --legacy 127.0.0.1:4984/shop
