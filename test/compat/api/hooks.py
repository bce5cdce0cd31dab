"""Hooks of schemathesis: mails are sent as bytes, and URLs in requests point to this machine."""

import schemathesis
from hypothesis import strategies

schemathesis.serializer.alias("message/rfc822", "application/octet-stream")
schemathesis.openapi.format("uri", strategies.from_regex(r"\Ahttp://127\.0\.0\.1:[1-9][0-9]{0,3}/[a-z]{0,9}\Z"))
