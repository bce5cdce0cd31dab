"""The mails that a program of this folder is to send, and where to; it tells of each why it failed."""
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
    """As applications write it: in quotes, unless the name is empty."""
    name, address = person["name"], person["address"]
    return f"{json.dumps(name, ensure_ascii=False)} <{address}>" if name else address


def mailboxes(people):
    return [mailbox(person) for person in people]


def send_all(start):
    """`start` makes what sends a mail of the address of the provider and the key."""
    given = json.load(sys.stdin)
    send = start(given["url"], given["key"])
    for fields in given["mails"]:
        problem = None
        try:
            send(Mail(fields))
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        print(json.dumps(problem), flush=True)
