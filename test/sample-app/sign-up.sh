#!/usr/bin/env bash
# Signs up in the app at $APP_URL, confirms the address with the mailed code and opens the mailed reset link.
set -euo pipefail
visit() { node "$(dirname "$0")/browser.js" "$@"; }

addr=$(tinbox inbox create)
visit "$APP_URL/sign-up" "email=$addr"
code=$(tinbox messages wait "$addr" --subject Confirm --timeout "${WAIT:-10s}" --field code)
visit "$APP_URL/confirm" "email=$addr" "code=$code"

visit "$APP_URL/forgot" "email=$addr"
link=$(tinbox messages wait "$addr" --subject /^Reset/ --timeout "${WAIT:-10s}" --field 'link[/reset/]')
visit "$link"
