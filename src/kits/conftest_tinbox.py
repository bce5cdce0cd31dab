"""Gives each test of pytest an inbox of its own: the fixtures "inbox" and "tinbox".

Printed by "tinbox kit pytest". It lies beside conftest.py, where this line takes it in:

    pytest_plugins = ["conftest_tinbox"]

It needs Python 3.9 and pytest, and the command tinbox ("npm install --global tinbox"), or TINBOX_URL and TINBOX_API_KEY of a
tinbox that runs. With pytest-xdist all workers share a tinbox.
"""

from __future__ import annotations

import http.client
import json
import math
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import pytest

# A message as the API shows it, with "subject", "text", "html", "codes", "links", "attachments" and more.
Message = dict[str, Any]

# Of a worker of pytest-xdist: the process of the whole run, for as long as that is there.
_PARENT = os.getppid()

# Seconds after which an inbox goes by itself, when whoever made it was killed.
_TTL = 3600

# Seconds that the daemon holds a wait open at most, and how much later its answer may come.
_MAX_WAIT = 60
_GRACE = 15


class TinboxError(Exception):
    """The daemon answered with an error; "code" is what programs compare."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code


class Inbox:
    """The inbox of one test.

    Filters are those of the API, by name: subject, to, contains, header ("Name: value"), link, has, after, and "from_" for the
    sender. Texts are substrings, without case; re.compile(…) is taken for any of them. "timeout" is in whole seconds.
    """

    def __init__(self, tinbox: Tinbox, created: dict[str, Any]) -> None:
        self._tinbox = tinbox
        self._path = f"/inboxes/{quote(created['id'])}"
        self.id: str = created["id"]
        #: Where mail for it goes.
        self.address: str = created["email_address"]
        #: How an app logs in as the inbox (host, port, username, password, url): all of its mail comes here then.
        self.smtp: dict[str, Any] = {**created["smtp"], **tinbox._smtp}
        if tinbox._smtp:
            host = self.smtp["host"]
            place = f"[{host}]:{self.smtp['port']}" if ":" in host else f"{host}:{self.smtp['port']}"
            self.smtp["url"] = re.sub(r"[^@]*$", place, self.smtp["url"])

    def __repr__(self) -> str:
        return f"<Inbox {self.address}>"

    @property
    def env(self) -> dict[str, str]:
        """The variables by which an app and the command line find the inbox."""
        smtp = self.smtp
        return {
            "SMTP_HOST": smtp["host"],
            "SMTP_PORT": str(smtp["port"]),
            "SMTP_USER": smtp["username"],
            "SMTP_PASSWORD": smtp["password"],
            "SMTP_URL": smtp["url"],
            "MAILER_DSN": smtp["url"],
            "TINBOX_SEND_KEY": smtp["send_key"],
            "TINBOX_URL": self._tinbox.url,
            "TINBOX_API_KEY": self._tinbox.api_key,
            "TINBOX_ADDRESS": self.address,
            "TINBOX_INBOX_ID": self.id,
        }

    def wait(self, timeout: float = 4, **filters: Any) -> Message:
        """The newest message that fits, as soon as there is one; a TimeoutError tells what did arrive."""
        __tracebackhide__ = True
        began = datetime.now().astimezone()
        query = _query(filters)
        left = max(0, math.ceil(timeout))
        while True:
            # The daemon counts, for tests that stop the time.
            seconds = min(_MAX_WAIT, left)
            found = self._list({**query, "limit": 1, "wait": seconds})
            if found:
                return found[0]
            left -= seconds
            if left <= 0:
                raise TimeoutError(self._nothing_came(filters, query, timeout, began))

    def code(self, timeout: float = 4, **filters: Any) -> str:
        """The code in the newest message that fits and has one."""
        code: str = self.wait(timeout, **_having("code", filters))["codes"][0]
        return code

    def link(self, timeout: float = 4, **filters: Any) -> str:
        """The address of the link in the newest message that fits and has one; with "link", of the link that fits."""
        message = self.wait(timeout, **_having("link", filters))
        wanted = _query({"link": filters["link"]})["link"] if "link" in filters else None
        if wanted is not None:
            query = {"link": wanted if isinstance(wanted, str) else wanted[0]}
            message = self._tinbox.request("GET", f"{self._path}/messages/{message['id']}", query=query)
        address: str = message["links"][0]["url"]
        return address

    def messages(self, **filters: Any) -> list[Message]:
        """What is there now and fits, newest first; 100 at most."""
        return self._list({**_query(filters), "limit": 100})

    def clear(self) -> None:
        """Deletes all messages."""
        self._tinbox.request("DELETE", f"{self._path}/messages")

    def delete(self) -> None:
        """Deletes the inbox with its mail, as the fixture does by itself after the test."""
        self._tinbox.request("DELETE", self._path)

    def summary(self) -> str:
        """What the mail is that came, for people: a line for each message, the oldest first."""
        newest = self._list({"fields": "summary", "limit": 20})
        lines = [
            _line(f'  {mail["received_at"][11:19]} "{mail["subject"]}" from {mail["from"]} to {mail["to"]}')
            for mail in reversed(newest)
        ]
        return "\n".join([f"Mail of {self.address}:", *(lines or ["  none came"])])

    def _list(self, query: dict[str, Any]) -> list[Message]:
        patience = query.get("wait", 0) + _GRACE
        rows: list[Message] = self._tinbox.request("GET", f"{self._path}/messages", query=query, timeout=patience)
        return rows

    def _nothing_came(self, filters: dict[str, Any], query: dict[str, Any], timeout: float, began: datetime) -> str:
        since = (began - timedelta(minutes=1)).isoformat()
        found = self._tinbox.request("GET", f"{self._path}/misses", query={**query, "limit": 5, "since": since})
        wanted = ", ".join(f"{name}={value!r}" for name, value in filters.items())
        misses = [
            f'  "{miss["message"]["subject"]}" from {miss["message"]["from"]}: {" ".join(miss["reasons"])}'
            for miss in found["misses"]
        ]
        refusals = [
            f"  {refusal['stage'].upper()} <{refusal['address']}>: {refusal['reason']}"
            for refusal in found["refusals"][:3]
        ]
        lines = [
            f"No message {f'with {wanted} ' if wanted else ''}came within {timeout:g} s.",
            *(["What did arrive:", *misses] if misses else ["Nothing else arrived either."]),
            *(["Refused meanwhile, the newest first:", *refusals] if refusals else []),
        ]
        return "\n".join(_line(line) for line in lines)


class Tinbox:
    """The API of a daemon, bound to the user of an API key."""

    def __init__(self, url: str, api_key: str, smtp: dict[str, Any] | None = None) -> None:
        self.url = url
        self.api_key = api_key
        self._smtp = smtp or {}
        self._inboxes: list[Inbox] = []
        self._deletes: list[Future[None]] = []
        self._background = ThreadPoolExecutor(max_workers=1)

    def create_inbox(self, name: str | None = None) -> Inbox:
        """Makes another inbox, which goes when the tests of this worker have ended."""
        body = {"name": _line(name or "").strip()[:100] or None, "ttl": _TTL}
        inbox = Inbox(self, self.request("POST", "/inboxes", body=body))
        self._inboxes.append(inbox)
        return inbox

    def request(
        self,
        method: str,
        path: str,
        *,
        query: dict[str, Any] | None = None,
        body: Any = None,
        timeout: float = 30,
    ) -> Any:
        """Calls any route below /v1, and returns what it answers, parsed."""
        address = urlsplit(self.url)
        connect = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
        connection = connect(address.hostname or "", address.port, timeout=timeout)
        headers = {"X-API-Key": self.api_key, **({} if body is None else {"Content-Type": "application/json"})}
        target = address.path.rstrip("/") + path + (f"?{urlencode(query, doseq=True)}" if query else "")
        try:
            connection.request(method, target, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            content = answer.read()
        except OSError as error:
            raise ConnectionError(f"{self.url} cannot be reached: {error}.") from error
        finally:
            connection.close()
        return _answer(self.url, answer.status, content)

    def _drop(self, inbox: Inbox) -> None:
        """Has an inbox deleted after its test, which need not wait for that: _close does."""
        self._inboxes.remove(inbox)
        self._deletes.append(self._background.submit(inbox.delete))

    def _close(self) -> None:
        """Returns when all inboxes that were made here are gone. One that cannot be deleted goes by itself."""
        for inbox in list(self._inboxes):
            self._drop(inbox)
        self._background.shutdown(wait=True)


@pytest.fixture(scope="session")
def tinbox_daemon() -> str:
    """Whether the workers of pytest-xdist share a daemon ("shared"), or have one each ("worker"): define it anew to choose."""
    return "shared"


@pytest.fixture(scope="session")
def tinbox(tinbox_daemon: str) -> Iterator[Tinbox]:
    """The API of the daemon, bound to the user of the inboxes."""
    opened = _find_daemon(tinbox_daemon)
    yield opened
    opened._close()


@pytest.fixture
def inbox(tinbox: Tinbox, request: pytest.FixtureRequest) -> Iterator[Inbox]:
    """An inbox for this test alone, named after it."""
    made = tinbox.create_inbox(request.node.name)
    yield made
    tinbox._drop(made)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Tells of the mail of a test that failed."""
    outcome: Any = yield
    report: pytest.TestReport = outcome.get_result()
    own = getattr(item, "funcargs", {}).get("inbox")
    if report.when == "call" and report.failed and isinstance(own, Inbox):
        try:
            report.sections.append(("tinbox", own.summary()))
        except (ConnectionError, TinboxError) as error:
            report.sections.append(("tinbox", str(error)))


def _find_daemon(scope: str) -> Tinbox:
    """The daemon that is named, else the one that runs here, if it may be shared, else one that ends with the tests."""
    if scope not in ("shared", "worker"):
        raise ValueError(f'tinbox_daemon is "shared" or "worker", not "{scope}".')
    url, api_key = os.environ.get("TINBOX_URL"), os.environ.get("TINBOX_API_KEY")
    if url:
        if not api_key:
            raise RuntimeError("TINBOX_URL is set, but TINBOX_API_KEY is not: set it to a key of that daemon.")
        host, port = os.environ.get("SMTP_HOST"), os.environ.get("SMTP_PORT", "")
        return Tinbox(url, api_key, {"host": host, "port": int(port)} if host and port.isdigit() else None)
    _, variables = _command("status") if scope == "shared" else (1, "")
    if not variables and os.environ.get("TINBOX_NO_START"):
        raise RuntimeError(
            'No tinbox daemon runs, and TINBOX_NO_START forbids to start one: run "tinbox daemon start".'
        )
    if not variables:
        is_shared = scope == "shared" and "PYTEST_XDIST_WORKER" in os.environ
        if is_shared and os.getppid() != _PARENT:
            raise RuntimeError("The test run that this worker belongs to has ended.")
        pid = _PARENT if is_shared else os.getpid()
        exit_code, variables = _command("start", "--until-exit", str(pid))
        if exit_code != 0:
            raise RuntimeError(f"The tinbox of this test run cannot be started: {variables}")
    found = dict(word.split("=", 1) for word in shlex.split(variables) if "=" in word)
    return Tinbox(found["TINBOX_URL"], found["TINBOX_API_KEY"])


def _command(*words: str) -> tuple[int, str]:
    """What "tinbox daemon …" prints to be evaluated by a shell; of a start that fails, why."""
    program = shutil.which("tinbox")
    if program is None:
        raise RuntimeError(
            'There is no command "tinbox": install it ("npm install --global tinbox"), or set TINBOX_URL and TINBOX_API_KEY.'
        )
    done = subprocess.run([program, "daemon", *words, "--format", "env"], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr.strip() if done.returncode != 0 and words[0] == "start" else done.stdout


def _having(what: str, filters: dict[str, Any]) -> dict[str, Any]:
    has = filters.get("has", [])
    return {**filters, "has": sorted({what, *([has] if isinstance(has, str) else has)})}


def _query(filters: dict[str, Any]) -> dict[str, Any]:
    """Filters as parameters of the API, which reads expressions between slashes once it is told to."""
    given = {name.rstrip("_"): value for name, value in filters.items() if value is not None}
    is_pattern = any(isinstance(one, re.Pattern) for value in given.values() for one in _each(value))

    def wire(value: Any) -> Any:
        if isinstance(value, (list, tuple, set)):
            return [wire(one) for one in value]
        if isinstance(value, re.Pattern):
            flags = "".join(
                letter
                for letter, flag in (("i", re.IGNORECASE), ("m", re.MULTILINE), ("s", re.DOTALL))
                if value.flags & flag
            )
            return f"/{value.pattern}/{flags}"
        if isinstance(value, datetime):
            return value.astimezone().isoformat()
        if isinstance(value, bool):
            return str(value).lower()
        # A text that looks like an expression would be read as one.
        return f"/{re.escape(value)}/i" if is_pattern and re.match(r"(?s)/.+/[a-z]*$", str(value)) else value

    return {**({"match": "pattern"} if is_pattern else {}), **{name: wire(value) for name, value in given.items()}}


def _each(value: Any) -> Any:
    return value if isinstance(value, (list, tuple, set)) else [value]


def _answer(url: str, status: int, content: bytes) -> Any:
    try:
        body: Any = json.loads(content or b"null")
        if 200 <= status < 300:
            return body
        code, detail = body["code"], body["detail"]
    except (ValueError, KeyError, TypeError) as error:
        raise ConnectionError(f"{url} answers with status {status}, but not as tinbox does. Is it right?") from error
    raise TinboxError(status, code, detail)


def _line(text: str) -> str:
    """A text from outside as one line that does nothing to a terminal."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+", " ", text)
