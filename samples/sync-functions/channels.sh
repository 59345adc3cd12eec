#!/bin/sh
# Prints each document's channels, sorted: `sh channels.sh ADMIN`, the URL of an admin port, of a Sync Gateway or a bridge.
curl -s "$1/shop/_all_docs?channels=true" | jq -r '.rows[] | [.id, (.value.channels // [] | sort | join(" "))] | join(": ")' | LC_ALL=C sort
