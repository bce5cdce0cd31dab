import json
import os
import random
import smtplib
import time
from email.message import EmailMessage

import pytest

MODE = os.environ.get("KITS_MODE", "own")
BLOCK_LENGTH = 25


@pytest.fixture(scope="session")
def shared(tinbox):
    return tinbox.create_inbox("shared")


@pytest.mark.parametrize("index", range(int(os.environ.get("KITS_TESTS", "1"))))
def test_sign_up(index, request):
    """Sends a mail with a code to the inbox and asserts that it is the only one, if the inbox belongs to the test. Logs the start time."""
    at = time.time() * 1000
    is_own = MODE == "own" or (MODE == "both" and index // BLOCK_LENGTH % 2 == 0)
    inbox = request.getfixturevalue("inbox" if is_own else "shared")
    code = str(random.randrange(100_000, 1_000_000))
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "shop@shop.example", inbox.address, code
    message.set_content(f"Your code is {code}.")
    with smtplib.SMTP(inbox.smtp["host"], inbox.smtp["port"]) as smtp:
        smtp.send_message(message)
    assert inbox.code(subject=code, timeout=20) == code
    if MODE != "both":
        assert len(inbox.messages()) == 1
    with open(os.environ["KITS_LOG"], "a") as log:
        log.write(json.dumps({"at": at, "isOwn": is_own}) + "\n")
