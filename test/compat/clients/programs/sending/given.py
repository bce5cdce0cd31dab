"""Reads the mails that a program of this folder sends, and prints the error of each or null."""
import base64
import json
import sys


class Mail:
    def __init__(self, fields):
        for name, value in fields.items():
            setattr(self, "sender" if name == "from" else name, value)
        for file in self.files:
            file["bytes"] = base64.b64decode(file["content"])

    @property
    def everybody(self):
        return [person["address"] for person in self.to + self.cc] + self.bcc


def mailbox(person):
    """The usual notation: a quoted name, unless it is empty."""
    name, address = person["name"], person["address"]
    return f"{json.dumps(name, ensure_ascii=False)} <{address}>" if name else address


def mailboxes(people):
    return [mailbox(person) for person in people]


def send_all(start):
    """`start` gets the URL of the provider and the key, and returns a function that sends a mail."""
    given = json.load(sys.stdin)
    send = start(given["url"], given["key"])
    for fields in given["mails"]:
        problem = None
        try:
            send(Mail(fields))
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        print(json.dumps(problem), flush=True)
