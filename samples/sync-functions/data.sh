#!/bin/sh
# Writes the shop's documents, as an old app does: first the administrator, then olga and anna.
# `sh data.sh PUBLIC ADMIN`, two URLs; without them those of old.yaml.
public=${1:-http://127.0.0.1:5984}
admin=${2:-http://127.0.0.1:5985}

write() { # NAME:PASSWORD ID BODY
    printf '%s  ' "$2"
    curl -s -w "\n" -u "$1" -X PUT -H 'Content-Type: application/json' -d "$3" "$public/shop/$2"
}

grants() { # NAME BODY
    printf '%s  ' "grants::$1"
    curl -s -w "\n" -X PUT -H 'Content-Type: application/json' -d "$2" "$admin/shop/grants::$1"
}

grants anna '{"type":"user-grants","user":"anna","channels":["customer-7","customer-8"]}'
grants olga '{"type":"user-grants","user":"olga","channels":["customer-7","customer-8","customer-9"],"roles":["role:office"]}'

olga=olga:secret-of-olga
write $olga customer::7 '{"type":"customer","name":"Nordwind","city":"Kiel"}'
write $olga customer::8 '{"type":"customer","name":"Seestern","city":"Bremen"}'
write $olga customer::9 '{"type":"customer","name":"Tidewater","city":"Husum"}'
write $olga product::lamp '{"type":"product","name":"Lamp","price":40}'
write $olga product::bulb '{"type":"product","name":"Bulb","price":3,"internal":true}'

anna=anna:secret-of-anna
write $anna order::17 '{"type":"order","customer":7,"total":40,"driver":"dora","state":"open"}'
write $anna order::18 '{"type":"order","customer":8,"total":43,"state":"open"}'
write $anna order::19 '{"type":"order","customer":7,"total":3,"state":"open"}'
printf '%s  ' 'delete order::19'
revision=$(curl -s -u $anna "$public/shop/order::19" | sed 's/.*"_rev":"\([^"]*\)".*/\1/')
curl -s -w "\n" -u $anna -X DELETE "$public/shop/order::19?rev=$revision"

echo 'refused:'
write $anna order::20 '{"type":"order","customer":9,"total":12}'
write $anna order::21 '{"type":"order","customer":7}'
write $anna product::rope '{"type":"product","name":"Rope","price":9}'
write $anna note::1 '{"type":"note"}'
