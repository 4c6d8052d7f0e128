#!/bin/sh
# Makes .venv fit this checkout: Python, packages, and Pango for PDF. Does nothing when it already
# fits, that is when the checkout's place, the interpreter and pyproject.toml are those of last time.
set -eu
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
stamp=.venv/.fits
place_stamp=.venv/.place

say() { printf '%s\n' "$*" >&2; }
stop() { say "privgate: $*"; exit 1; }

require_python() {
    command -v "$python" >/dev/null 2>&1 ||
        stop "no $python found; install Python 3.11 or later, on Debian: apt-get install python3 python3-venv"
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        stop "$("$python" --version) is too old; 3.11 or later is needed: make PYTHON=/path/to/python3.12 …"
    "$python" -c 'import ensurepip, venv' >/dev/null 2>&1 ||
        stop "$python has no venv module; on Debian: apt-get install python3-venv"
}

# A moved checkout or another interpreter needs a new environment …
place() {
    pwd
    "$python" -c 'import sys; print(sys.base_prefix, sys.version)'
}

# … and other requirements only other packages.
requirements() { cksum pyproject.toml scripts/environment.sh; }

facts() { place && requirements; }

install_packages() {
    if ! .venv/bin/python -c '' 2>/dev/null || [ "$(place)" != "$(cat "$place_stamp" 2>/dev/null)" ]; then
        rm -rf .venv
        "$python" -m venv .venv
        place >"$place_stamp"
    fi
    # --group needs pip 25.1, newer than what most venvs begin with.
    .venv/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
    .venv/bin/python -m pip install --quiet --editable '.[demo]' --group dev
}

pango_packages='libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 fonts-dejavu-core'

missing_packages() {
    for package in $pango_packages; do
        dpkg-query --show --showformat '${Status}' "$package" 2>/dev/null |
            grep -q '^install ok installed$' || printf '%s ' "$package"
    done
}

install_pango() {
    if command -v apt-get >/dev/null 2>&1; then
        missing=$(missing_packages)
        [ -n "$missing" ] || return 0
        if [ "$(id -u)" -eq 0 ]; then
            say "privgate: installing $missing"
            # shellcheck disable=SC2086 # one word per package
            { apt-get update -qq &&
                DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
                    $missing >/dev/null; } </dev/null && return 0
        fi
        say "privgate: PDF reports need Pango and a font; HTML and JSON work without. To install them:"
        say "    sudo apt-get install $missing"
    elif ! .venv/bin/python -c 'import weasyprint' >/dev/null 2>&1; then
        say "privgate: PDF reports need Pango; HTML and JSON work without. To install it:"
        say "    brew install pango      (macOS)"
        say "    dnf install pango       (Fedora)"
    fi
}

require_python
if [ "$(facts)" = "$(cat "$stamp" 2>/dev/null)" ]; then exit 0; fi
say "privgate: setting up .venv (a few minutes the first time)"
install_packages
install_pango
facts >"$stamp"
