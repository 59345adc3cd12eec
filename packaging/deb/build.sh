#!/bin/sh
# Makes dualgauge_VERSION_ARCH.deb of a program that is built and stripped.
#
#   packaging/deb/build.sh PROGRAM VERSION FOLDER
#
# The program has to run on this machine: it makes its own completions and man pages.
#
#   BACKTRACER          swift-backtrace-static of the toolchain. Without it, the package writes no backtraces.
#   NOTICES             the file of `sbom.py --notices`, with the licences of what is linked into the program.
#   DEPENDS             the libraries that the package needs, in place of those that the program names.
#   MAINTAINER          who answers for the package: `NAME <ADDRESS>`.
#   SOURCE_DATE_EPOCH   the time of the files, for packages that can be made again.
#
# `dpkg-deb` reads DPKG_DEB_COMPRESSOR_TYPE and DPKG_DEB_COMPRESSOR_LEVEL.
set -eu
umask 022

if [ $# -ne 3 ]; then
    sed -n 's/^# \{0,1\}//; 2,14p' "$0" >&2
    exit 2
fi
program=$(realpath "$1")
# In a Debian version a hyphen begins the packager's own part. 1.0.0-beta.1 comes before 1.0.0, which a tilde says.
version=$(printf '%s' "$2" | sed 's/-/~/g')
mkdir -p "$3"
output=$(realpath "$3")
here=$(dirname "$(realpath "$0")")
source=$(realpath "$here/../..")
arch=$(dpkg --print-architecture)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
root=$work/root

file() { # MODE FROM TO
    install -D -m "$1" "$2" "$root$3"
}

# The program, and what it says of itself.
file 0755 "$program" /usr/bin/dualgauge
mkdir -p "$work/made"
"$program" --generate-completion-script bash > "$work/made/bash"
"$program" --generate-completion-script zsh > "$work/made/zsh"
"$program" --generate-completion-script fish > "$work/made/fish"
file 0644 "$work/made/bash" /usr/share/bash-completion/completions/dualgauge
file 0644 "$work/made/zsh" /usr/share/zsh/vendor-completions/_dualgauge
file 0644 "$work/made/fish" /usr/share/fish/vendor_completions.d/dualgauge.fish
mkdir "$work/man"
"$program" --experimental-dump-help > "$work/made/help.json"
python3 "$source/packaging/man.py" "$2" "$work/man" < "$work/made/help.json"
gzip -9n "$work"/man/*.1
for page in "$work"/man/*.gz; do
    file 0644 "$page" "/usr/share/man/man1/$(basename "$page")"
done

# The service.
file 0644 "$source/packaging/systemd/dualgauge.service" /usr/lib/systemd/system/dualgauge.service
file 0644 "$source/packaging/sysusers.d/dualgauge.conf" /usr/lib/sysusers.d/dualgauge.conf
file 0640 "$source/packaging/default/dualgauge.yaml" /etc/dualgauge/dualgauge.yaml
chmod 0750 "$root/etc/dualgauge"
if [ -n "${BACKTRACER:-}" ]; then
    file 0755 "$BACKTRACER" /usr/lib/dualgauge/swift-backtrace
    strip "$root/usr/lib/dualgauge/swift-backtrace"
else
    sed -i '/backtrace/d' "$root/usr/lib/systemd/system/dualgauge.service"
fi

# The documentation.
doc=/usr/share/doc/dualgauge
{
    cat "$source/LICENSE"
    printf '\nDebian has the text of this licence in /usr/share/common-licenses/Apache-2.0.\n'
} > "$work/made/copyright"
file 0644 "$work/made/copyright" $doc/copyright
gzip -9nc "$source/CHANGELOG.md" > "$work/made/changelog.gz"
file 0644 "$work/made/changelog.gz" $doc/changelog.gz
if [ -n "${NOTICES:-}" ]; then
    gzip -9nc "$NOTICES" > "$work/made/notices.gz"
    file 0644 "$work/made/notices.gz" $doc/NOTICES.gz
fi
cp -r "$source/docs" "$root$doc/docs"
cp -r "$source/samples" "$root$doc/examples"
chmod -R u=rwX,go=rX "$root$doc"

mkdir "$root/DEBIAN"

# What the package needs. The libraries are those that the program names; a list stands in where dpkg-dev is not installed.
depends=${DEPENDS:-}
if [ -z "$depends" ] && readelf -d "$program" | grep -q 'NEEDED.*libswift'; then
    echo 'build.sh: the program needs the libraries of the Swift toolchain, which no package has. Build it with --static-swift-stdlib.' >&2
    exit 1
fi
if [ -z "$depends" ] && command -v dpkg-shlibdeps > /dev/null; then
    mkdir "$work/debian"
    printf 'Source: dualgauge\n\nPackage: dualgauge\nArchitecture: any\n' > "$work/debian/control"
    set -- -e"$root/usr/bin/dualgauge"
    [ -z "${BACKTRACER:-}" ] || set -- "$@" -e"$root/usr/lib/dualgauge/swift-backtrace"
    found=$(cd "$work" && dpkg-shlibdeps -O --warnings=1 "$@")
    depends=${found#shlibs:Depends=}
fi
[ -n "$depends" ] || depends='libc6, libcrypt1, libgcc-s1, libglib2.0-0, libjavascriptcoregtk-4.1-0, libsqlite3-0, libstdc++6, zlib1g'

cat > "$root/DEBIAN/control" << END
Package: dualgauge
Version: $version
Architecture: $arch
Maintainer: ${MAINTAINER:-The Dualgauge authors}
Section: net
Priority: optional
Installed-Size: $(du -k -s --exclude=DEBIAN "$root" | cut -f1)
Depends: $depends, ca-certificates, procps, systemd | systemd-sysusers | adduser
Description: sync server for Couchbase Lite 1.x and 2.x+
 Dualgauge serves apps with Couchbase Lite 1.x, PouchDB or CouchDB, which
 replicate over HTTP, and apps with Couchbase Lite 2.x and newer, which
 replicate over a WebSocket, from one SQLite store. It moves documents from
 the one old keyspace into collections without changing a revision.
END
echo /etc/dualgauge/dualgauge.yaml > "$root/DEBIAN/conffiles"
install -m 0755 "$here/postinst" "$here/prerm" "$here/postrm" "$root/DEBIAN"
(cd "$root" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | sort -z | xargs -0 md5sum) > "$root/DEBIAN/md5sums"

dpkg-deb --root-owner-group --build "$root" "$output/dualgauge_${version}_$arch.deb"
