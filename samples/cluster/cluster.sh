#!/usr/bin/env bash
# Two bridges, HAProxy, and a PostgreSQL primary with a synchronous standby, on one machine. README.md explains the steps.
#
#   samples/cluster/cluster.sh start PATH/TO/dualgauge    in ./cluster, or in the folder that CLUSTER names
#   samples/cluster/cluster.sh status
#   samples/cluster/cluster.sh bridge a|b stop|start|kill|pause|resume
#   samples/cluster/cluster.sh fail        kill -9 of the primary
#   samples/cluster/cluster.sh promote     the standby becomes the primary
#   samples/cluster/cluster.sh rejoin      the old primary becomes the standby
#   samples/cluster/cluster.sh server restart|pause|resume     the primary
#   samples/cluster/cluster.sh connections end                 those of the bridges
#   samples/cluster/cluster.sh connections limit N             of both bridges together; -1 for none
#   samples/cluster/cluster.sh stop
#
# CONFIGURATION names another file than dualgauge.yaml.
set -euo pipefail
sample=$(cd "$(dirname "$0")" && pwd)
case ${1:-} in
  start | status | bridge | server | connections | fail | promote | rejoin | stop) ;;
  *) sed -n '2,15s/^# \{0,1\}//p' "$0"; exit 64 ;;
esac
mkdir -p "${CLUSTER:=cluster}"
CLUSTER=$(realpath "$CLUSTER")
export CLUSTER
cd "$CLUSTER"
PATH=$PATH:$(printf '%s:' $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -rV))

# PostgreSQL refuses to run as root.
as_owner() {
  if [ "$(id -u)" = 0 ]; then setpriv --reuid postgres --regid postgres --clear-groups "$@"; else "$@"; fi
}

port_of() { case $1 in one) echo 5441 ;; two) echo 5442 ;; esac; }
other() { case $1 in one) echo two ;; two) echo one ;; esac; }
sql() { as_owner psql -qXAt -h "$CLUSTER/sockets" -p "$(port_of "$1")" -U postgres "${@:2}"; }
listens() { sql "$1" -c 'SELECT 1' >/dev/null 2>&1; }

# The server that is, or was last, the primary.
primary() { cat primary; }

await() {
  for _ in $(seq 300); do "$@" && return; sleep 0.1; done
  echo "It took too long: $*" >&2
  exit 1
}

start_server() {
  as_owner pg_ctl -s -w -D "$CLUSTER/$1" -l "$CLUSTER/$1.log" -o "-p $(port_of "$1") -k $CLUSTER/sockets" start
}

# A copy of the primary, which follows it.
make_standby() {
  rm -rf "$1"
  as_owner env PGPASSFILE="$CLUSTER/owner.passfile" pg_basebackup -D "$CLUSTER/$1" -R -c fast \
    -d "host=127.0.0.1 port=$(port_of "$(other "$1")") user=standby application_name=standby passfile=$CLUSTER/owner.passfile"
  start_server "$1"
}

# A process and its children. The parent first, so that it starts no others.
signal_tree() { kill "-$1" "$2"; pkill "-$1" -P "$2" || true; }

has_ended() { ! kill -0 "$1" 2>/dev/null; }

is_synchronous() { [ "$(sql "$(primary)" -c "SELECT sync_state FROM pg_stat_replication WHERE sync_state = 'sync'")" = sync ]; }

create_servers() {
  password=$(head -c 24 /dev/urandom | base64 | tr '+/' '-_')
  (umask 077 && for port in 5441 5442; do echo "127.0.0.1:$port:*:*:$password"; done >passfile && cp passfile owner.passfile)
  mkdir -p sockets
  if [ "$(id -u)" = 0 ]; then chown postgres sockets owner.passfile . ; fi
  as_owner initdb -D "$CLUSTER/one" -U postgres -A peer -E UTF8 --locale C >/dev/null 2>&1
  cp "$sample/pg_hba.conf" one/pg_hba.conf
  echo "owner $( [ "$(id -u)" = 0 ] && echo postgres || id -un ) postgres" >one/pg_ident.conf
  cat "$sample/primary.conf" >>one/postgresql.conf
  echo one >primary
  # Without a standby a synchronous commit would wait for ever.
  sed -i "s/^synchronous_standby_names/#&/" one/postgresql.conf
  start_server one
  sql one -c "CREATE ROLE dualgauge LOGIN PASSWORD '$password'" -c "CREATE ROLE standby LOGIN REPLICATION PASSWORD '$password'"
  sql one -c "CREATE DATABASE sync OWNER dualgauge ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0"
  make_standby two
  require_standby
}

# From now on each commit waits for the standby.
require_standby() {
  sed -i "s/^#\?synchronous_standby_names.*/synchronous_standby_names = 'standby'/" "$(primary)/postgresql.conf"
  sql "$(primary)" -c 'SELECT pg_reload_conf()' >/dev/null
  await is_synchronous
}

start_bridge() {
  case $1 in a) public=4994 ;; b) public=5004 ;; esac
  BRIDGE_PUBLIC=127.0.0.1:$public BRIDGE_ADMIN=127.0.0.1:$((public + 1)) \
    nohup "$(cat program)" serve --config "${CONFIGURATION:-$sample/dualgauge.yaml}" >>"bridge-$1.log" 2>&1 &
  echo $! >"bridge-$1.pid"
  await curl -fso /dev/null "http://127.0.0.1:$public/_ping?ready=true"
}

case $1 in
  start)
    realpath "$2" >program
    if [ -e primary ]; then start_server "$(primary)"; start_server "$(other "$(primary)")"; else create_servers; fi
    start_bridge a
    start_bridge b
    haproxy -D -f "$sample/haproxy.cfg" -p haproxy.pid
    await curl -fso /dev/null "http://127.0.0.1:4984/_ping?ready=true"
    echo "Clients: http://127.0.0.1:4984/shop. Administrators: http://127.0.0.1:4995 and http://127.0.0.1:5005."
    ;;
  status)
    echo "primary: $(primary), $(listens "$(primary)" && echo up || echo down); its standby: $(is_synchronous 2>/dev/null && echo synchronous || echo none)"
    for admin in 4995 5005; do curl -fs "http://127.0.0.1:$admin/_status" || echo "127.0.0.1:$admin does not answer"; echo; done
    ;;
  bridge)
    case $3 in
      start) start_bridge "$2" ;;
      stop) kill "$(cat "bridge-$2.pid")" && await has_ended "$(cat "bridge-$2.pid")" ;;
      pause) signal_tree STOP "$(cat "bridge-$2.pid")" ;;
      resume) signal_tree CONT "$(cat "bridge-$2.pid")" ;;
      # Both at once: the supervisor would start the bridge again.
      kill) kill -9 "$(cat "bridge-$2.pid")" $(pgrep -P "$(cat "bridge-$2.pid")") ;;
    esac
    ;;
  server)
    case $2 in
      restart) as_owner pg_ctl -s -w -D "$CLUSTER/$(primary)" -m fast -l "$CLUSTER/$(primary).log" restart ;;
      pause) signal_tree STOP "$(head -1 "$(primary)/postmaster.pid")" ;;
      resume) signal_tree CONT "$(head -1 "$(primary)/postmaster.pid")" ;;
    esac
    ;;
  connections)
    case $2 in
      end) sql "$(primary)" -c "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'dualgauge'" ;;
      limit) sql "$(primary)" -c "ALTER ROLE dualgauge CONNECTION LIMIT $3" ;;
    esac
    ;;
  fail) kill -9 $(head -1 "$(primary)/postmaster.pid") ;;
  promote)
    new=$(other "$(primary)")
    # The new primary has no standby yet.
    sed -i "s/^synchronous_standby_names/#&/" "$new/postgresql.conf"
    as_owner pg_ctl -s -w -D "$CLUSTER/$new" reload
    as_owner pg_ctl -s -w -D "$CLUSTER/$new" promote
    echo "$new" >primary
    ;;
  rejoin)
    old=$(other "$(primary)")
    ! listens "$old" || as_owner pg_ctl -s -w -D "$CLUSTER/$old" -m fast stop
    make_standby "$old"
    require_standby
    ;;
  stop)
    kill "$(cat haproxy.pid)" 2>/dev/null || true
    for name in a b; do kill "$(cat "bridge-$name.pid")" 2>/dev/null || true; done
    for name in a b; do await has_ended "$(cat "bridge-$name.pid")"; done
    # The primary first: it waits until the standby has everything.
    for server in "$(primary)" "$(other "$(primary)")"; do as_owner pg_ctl -s -w -D "$CLUSTER/$server" -m fast stop || true; done
    ;;
esac
