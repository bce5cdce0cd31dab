"""Parses mails with Python's email package: one per line, Base64 on standard input, JSON on standard output."""

import json
import sys
from base64 import b64decode
from email import message_from_bytes
from email.policy import default


def mailboxes(message, name):
    return ", ".join(
        f"{address.display_name} <{address.addr_spec}>" if address.display_name else address.addr_spec
        for field in message.get_all(name, [])
        for address in field.addresses
        if address.addr_spec
    )


def parts(part):
    """Leaf parts; an attached mail is one of them."""
    if part.get_content_maintype() == "multipart" and part.is_multipart():
        for child in part.iter_parts():
            yield from parts(child)
    else:
        yield part


def size(part):
    if part.is_multipart():
        return sum(len(inner.as_bytes()) for inner in part.get_payload())
    return len(part.get_payload(decode=True) or b"")


def read(mail):
    message = message_from_bytes(mail, policy=default)
    bodies = {"text/plain": [], "text/html": []}
    attachments = []
    for part in parts(message):
        kind = part.get_content_type()
        if kind in bodies and not part.is_attachment() and not part.get_filename():
            bodies[kind].append(part.get_content())
        else:
            attachments.append(f"{part.get_filename() or '(no name)'} {kind} {size(part)}")
    return {
        "subject": str(message["subject"] or ""),
        "from": mailboxes(message, "from"),
        "to": mailboxes(message, "to"),
        "cc": mailboxes(message, "cc"),
        "date": str(message["date"].datetime.isoformat()) if message["date"] and message["date"].datetime else "",
        "text": "\n".join(bodies["text/plain"]),
        "html": "\n".join(bodies["text/html"]),
        "attachments": ", ".join(attachments),
    }


for line in sys.stdin.read().splitlines():
    try:
        print(json.dumps(read(b64decode(line))))
    except Exception:
        print("null")
