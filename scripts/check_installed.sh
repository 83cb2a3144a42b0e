#!/usr/bin/env bash
# Installs the built wheel with its core dependencies only, in a new environment, and uses it.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build/core-env
wheel=$(ls dist/*.whl)
rm -rf "$venv"
"${CODEQUAKE_VENV:-.venv}/bin/python" -m venv "$venv"
"$venv/bin/python" -m pip --disable-pip-version-check -q install -c constraints.txt "$wheel"
"$venv/bin/python" -m pip --disable-pip-version-check -q check
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command=$PWD/$venv/bin/codequake
cd "$work" # away from the source, so that only the installed package can answer
"$command" --help >/dev/null
"$command" problems list --json >problems.json
printf 'Here it is:\n\n```python\ndef f(n):\n    return n\n```\n' |
    "$command" extract --entry-point f | grep -q 'return n'
"$command" problems check starter-12 >/dev/null
# The extras are absent here: what needs one must say so and not fail with a traceback.
if "$command" run preset:demo --model codequake/sim --out study 2>message.txt; then
    echo "a run without the models extra must not succeed" >&2
    exit 1
fi
grep -q 'codequake\[models\]' message.txt
grep -q Traceback message.txt && exit 1
echo "installed wheel: all right"
