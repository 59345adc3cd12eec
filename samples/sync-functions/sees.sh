#!/bin/sh
# Prints the IDs that a user sees: `sh sees.sh PUBLIC NAME`, the URL of a public port. The passwords are those of old.yaml.
curl -s -u "$2:secret-of-$2" "$1/shop/_all_docs" | jq -r '.rows | map(.id) | join(" ")'
