"""Parses reports (RFC 6522) with Python's email package: one per line, Base64 on standard input, JSON on standard output."""

import json
import sys
from base64 import b64decode
from email import message_from_bytes
from email.policy import default


def fields(message):
    return [[name, str(value)] for name, value in message.items()]


def part(found):
    kind = found.get_content_type()
    read = {"type": kind, "description": found["Content-Description"], "encoding": found["Content-Transfer-Encoding"]}
    if kind == "text/plain":
        return {**read, "text": found.get_content()}
    if kind == "text/rfc822-headers":
        return {**read, "fields": fields(message_from_bytes(found.get_payload(decode=True), policy=default))}
    if kind == "message/rfc822":
        inner = found.get_content()
        return {**read, "fields": fields(inner), "text": inner.get_content()}
    return {**read, "blocks": [fields(block) for block in found.get_payload()]}


for line in sys.stdin:
    report = message_from_bytes(b64decode(line), policy=default)
    defects = [str(defect) for found in report.walk() for defect in found.defects]
    answer = {
        "fields": fields(report),
        "type": report.get_content_type(),
        "report": report.get_param("report-type"),
        "parts": [part(found) for found in report.iter_parts()],
        "defects": defects,
    }
    print(json.dumps(answer), flush=True)
