#!/bin/sh
# Installs what is missing of the named sections of debian-packages.txt: install-packages.sh SECTION…
#
# dpkg is asked package by package: the exit status of apt also fails because of packages that have nothing to
# do with us. Nothing is updated or installed when nothing is missing.
set -eu
list=${0%/*}/debian-packages.txt

wanted() {
	for section in "$@"; do
		awk -v section="$section" '$1 == section { print $2; n++ } END { exit !n }' "$list" || {
			echo "install-packages.sh: $list has no section '$section'" >&2
			exit 2
		}
	done
}

# Names of the arguments that are not installed.
missing_of() {
	dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
		awk 'BEGIN { for (i = 1; i < ARGC; i++) want[i] = ARGV[i]; n = ARGC; ARGC = 1 }
		     $2 == "installed" { have[$1] = 1 }
		     END { for (i = 1; i < n; i++) if (!(want[i] in have)) print want[i] }' "$@"
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		env DEBIAN_FRONTEND=noninteractive "$@"
	else
		sudo env DEBIAN_FRONTEND=noninteractive "$@"
	fi
}

[ $# -gt 0 ] || { echo "usage: ${0##*/} SECTION…  (build, test, lint)" >&2; exit 2; }
packages=$(wanted "$@")

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	echo "Not a Debian system: nothing is installed by ${0##*/}. Needed are a C compiler, make, pkg-config, and" >&2
	echo "libyaml, PCRE2 (8 bit), libarchive, libpcap, jansson, zlib with their headers; for tests also cmocka, clang, jq, iproute2," >&2
	echo "procps, Python's jsonschema; for lint clang-format, clang-tidy, cppcheck, shellcheck." >&2
	exit 0
fi

# shellcheck disable=SC2086 # names of packages hold no blanks
missing=$(missing_of $packages)
[ -n "$missing" ] || exit 0

if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
	echo "Missing packages, and neither root nor sudo to install them:" >&2
	echo "$missing" | sed 's/^/  /' >&2
	exit 1
fi
# shellcheck disable=SC2086
echo Installing $missing >&2
as_root apt-get -q -o DPkg::Lock::Timeout=120 update >&2 || echo "apt-get update failed; trying with the lists that are there" >&2
# shellcheck disable=SC2086
as_root apt-get -q -y -o DPkg::Lock::Timeout=120 --no-install-recommends install $missing >&2 || :
# shellcheck disable=SC2086
missing=$(missing_of $packages)
[ -z "$missing" ] || {
	echo "Could not install:" >&2
	echo "$missing" | sed 's/^/  /' >&2
	exit 1
}
