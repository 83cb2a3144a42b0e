#!/usr/bin/env bash
# Prepares everything that `make demo` and `make test` need, and nothing twice.
#
#   scripts/setup.sh demo|test
#
# System packages come by apt-get when this user may use it; otherwise the one line to run is
# printed and the set-up goes on, so that `codequake doctor` can say what is really missing.
set -euo pipefail
cd "$(dirname "$0")/.."
purpose=${1:?usage: scripts/setup.sh demo|test}
venv=${CODEQUAKE_VENV:-.venv}

say() { printf 'set-up: %s\n' "$*" >&2; }

wanted_packages() {
    command -v bwrap >/dev/null || echo bubblewrap
    command -v gcc >/dev/null || echo gcc
    command -v g++ >/dev/null || echo g++
    [ -e /usr/include/stdio.h ] || echo libc6-dev
    [ -e /usr/include/libtcc.h ] || echo libtcc-dev
    [ -x /usr/bin/python3 ] || echo python3
    "$python" -c 'import ensurepip, venv' 2>/dev/null || echo "python3-venv"
    if [ "$purpose" = test ] && ! command -v chromium >/dev/null; then echo chromium; fi
}

install_packages() {
    local packages=("$@")
    [ ${#packages[@]} -gt 0 ] || return 0
    local line="apt-get install -y --no-install-recommends ${packages[*]}"
    if ! command -v apt-get >/dev/null; then
        say "missing: ${packages[*]}; install them with this system's package manager"
    elif [ "$(id -u)" = 0 ]; then
        say "$line"
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive $line -qq >/dev/null
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        say "sudo $line"
        sudo apt-get update -qq
        sudo DEBIAN_FRONTEND=noninteractive $line -qq >/dev/null
    else
        say "missing: ${packages[*]}; run this once as an administrator: sudo $line"
    fi
}

find_python() {
    local candidate
    for candidate in ${PYTHON:-} python3.13 python3.12 python3.11 python3 python; do
        if "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' \
            2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    say "no Python 3.11, 3.12 or 3.13 was found; install one: sudo apt-get install python3"
    return 1
}

python=$(find_python)
mapfile -t packages < <(wanted_packages)
install_packages "${packages[@]}"

stamp="$venv/.ready-$purpose"
state=$(cat pyproject.toml constraints.txt scripts/setup.sh | sha256sum | cut -c1-64)
if [ "$(cat "$stamp" 2>/dev/null)" != "$state" ]; then
    [ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
    say "installing Python packages into $venv"
    pip=("$venv/bin/python" -m pip --disable-pip-version-check --quiet install -c constraints.txt)
    "${pip[@]}" pip
    "${pip[@]}" --editable '.[all]'
    if [ "$purpose" = test ]; then "${pip[@]}" --group dev; fi
    printf '%s' "$state" >"$stamp"
fi
say "the bundled model"
"$venv/bin/python" -c "from codequake.models import fetch_weights; fetch_weights()"
