"""pytest kit of tinbox: the fixture "inbox" gives each test a private inbox, the fixture "tinbox" is the API client.

Printed by "tinbox kit pytest". Save it next to conftest.py and load it there with this line:

    pytest_plugins = ["conftest_tinbox"]

Requires Python 3.9, pytest, and the command tinbox ("npm install --global tinbox"). Without the command, set TINBOX_URL and
TINBOX_API_KEY of a running tinbox daemon. With pytest-xdist, all workers share one daemon.
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

# A message as returned by the API, with "subject", "text", "html", "codes", "links", "attachments" and more.
Message = dict[str, Any]

# In a pytest-xdist worker: the main process of the test run, while it is running.
_PARENT = os.getppid()

# Lifetime of an inbox in seconds: deletes inboxes of test runs that were killed.
_TTL = 3600

# Maximum duration of one long poll in seconds, and the extra time for its response.
_MAX_WAIT = 60
_GRACE = 15


# Descriptions of dropped connections, as in the other kits.
_DROPS = {
    "before": "dropped without a reply",
    "mid": "dropped in the middle",
    "after_commit": "kept, then dropped without a reply",
}


class TinboxError(Exception):
    """Error response of the daemon. Compare "code" in programs."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code


class Inbox:
    """Inbox of one test.

    Filters have the names of the API: subject, to, contains, header ("Name: value"), link, has, after, and "from_" for the
    sender. Strings are case-insensitive substrings; re.compile(…) works for each of them. "timeout" is in whole seconds.
    """

    def __init__(self, tinbox: Tinbox, created: dict[str, Any]) -> None:
        self._tinbox = tinbox
        self._path = f"/inboxes/{quote(created['id'])}"
        self.id: str = created["id"]
        #: Email address of the inbox.
        self.address: str = created["email_address"]
        #: SMTP login of the inbox (host, port, username, password, url). All mail sent with this login arrives here.
        self.smtp: dict[str, Any] = {**created["smtp"], **tinbox._smtp}
        if tinbox._smtp:
            host = self.smtp["host"]
            place = f"[{host}]:{self.smtp['port']}" if ":" in host else f"{host}:{self.smtp['port']}"
            self.smtp["url"] = re.sub(r"[^@]*$", place, self.smtp["url"])

    def __repr__(self) -> str:
        return f"<Inbox {self.address}>"

    @property
    def env(self) -> dict[str, str]:
        """Environment variables of the inbox for an app and the command line."""
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
        """Waits for a matching message and returns the newest one. A TimeoutError lists what arrived instead."""
        __tracebackhide__ = True
        began = datetime.now().astimezone()
        query = _query(filters)
        left = max(0, math.ceil(timeout))
        while True:
            # The daemon measures the time, so that tests may freeze the clock.
            seconds = min(_MAX_WAIT, left)
            found = self._list({**query, "limit": 1, "wait": seconds})
            if found:
                return found[0]
            left -= seconds
            if left <= 0:
                raise TimeoutError(self._timed_out(query, timeout, began))

    def code(self, timeout: float = 4, **filters: Any) -> str:
        """Waits for a matching message with a code, and returns the code."""
        code: str = self.wait(timeout, **_having("code", filters))["codes"][0]
        return code

    def link(self, timeout: float = 4, **filters: Any) -> str:
        """Waits for a matching message with a link, and returns its URL. With "link", that of the matching link."""
        message = self.wait(timeout, **_having("link", filters))
        wanted = _query({"link": filters["link"]})["link"] if "link" in filters else None
        if wanted is not None:
            query = {"link": wanted if isinstance(wanted, str) else wanted[0]}
            message = self._tinbox.request("GET", f"{self._path}/messages/{message['id']}", query=query)
        address: str = message["links"][0]["url"]
        return address

    def messages(self, **filters: Any) -> list[Message]:
        """Lists the matching messages, newest first; at most 100."""
        return self._list({**_query(filters), "limit": 100})

    def clear(self) -> None:
        """Deletes all messages."""
        self._tinbox.request("DELETE", f"{self._path}/messages")

    def delete(self) -> None:
        """Deletes the inbox with its mail. The fixture does this after the test."""
        self._tinbox.request("DELETE", self._path)

    def summary(self) -> str:
        """Describes the messages for people: one line per message, oldest first."""
        newest = self._list({"fields": "summary", "limit": 20})
        lines = [
            _line(f'  {mail["received_at"][11:19]} "{mail["subject"]}" from {mail["from"]} to {mail["to"]}')
            for mail in reversed(newest)
        ]
        return "\n".join([f"Messages in {self.address}:", *(lines or ["  no messages"])])

    def _list(self, query: dict[str, Any]) -> list[Message]:
        patience = query.get("wait", 0) + _GRACE
        rows: list[Message] = self._tinbox.request("GET", f"{self._path}/messages", query=query, timeout=patience)
        return rows

    def _timed_out(self, query: dict[str, Any], timeout: float, began: datetime) -> str:
        since = (began - timedelta(minutes=1)).isoformat()
        found = self._tinbox.request("GET", f"{self._path}/misses", query={**query, "limit": 5, "since": since})
        misses = [
            line
            for miss in found["misses"]
            for line in (
                f'  "{miss["message"]["subject"]}" from {miss["message"]["from"]}, {_ago(miss["message"]["received_at"])}',
                *(f"    {reason}" for reason in miss["reasons"]),
            )
        ]
        lines = [
            f"No message{_described(query)} arrived at {self.address} within {_duration(timeout)}.",
            *(["Arrived, but did not match (closest first):", *misses] if misses else ["No other message arrived."]),
            *_problems(found),
        ]
        return "\n".join(_line(line) for line in lines)


class Tinbox:
    """API client of a daemon, with the API key of one user."""

    def __init__(self, url: str, api_key: str, smtp: dict[str, Any] | None = None) -> None:
        self.url = url
        self.api_key = api_key
        self._smtp = smtp or {}
        self._inboxes: list[Inbox] = []
        self._deletes: list[Future[None]] = []
        self._background = ThreadPoolExecutor(max_workers=1)

    def create_inbox(self, name: str | None = None) -> Inbox:
        """Creates another inbox, which is deleted after the tests of this worker."""
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
        """Calls any route below /v1 and returns the parsed response."""
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
        """Deletes an inbox in the background; _close waits for it."""
        self._inboxes.remove(inbox)
        self._deletes.append(self._background.submit(inbox.delete))

    def _close(self) -> None:
        """Deletes all inboxes created here and waits for it. An inbox that cannot be deleted expires."""
        for inbox in list(self._inboxes):
            self._drop(inbox)
        self._background.shutdown(wait=True)


@pytest.fixture(scope="session")
def tinbox_daemon() -> str:
    """Override to choose one daemon for all pytest-xdist workers ("shared", the default) or one per worker ("worker")."""
    return "shared"


@pytest.fixture(scope="session")
def tinbox(tinbox_daemon: str) -> Iterator[Tinbox]:
    """API client with the key of the inboxes' user."""
    opened = _find_daemon(tinbox_daemon)
    yield opened
    opened._close()


@pytest.fixture
def inbox(tinbox: Tinbox, request: pytest.FixtureRequest) -> Iterator[Inbox]:
    """Inbox of this test, named after it."""
    made = tinbox.create_inbox(request.node.name)
    yield made
    tinbox._drop(made)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Adds the messages of the inbox to the report of a failed test."""
    outcome: Any = yield
    report: pytest.TestReport = outcome.get_result()
    own = getattr(item, "funcargs", {}).get("inbox")
    if report.when == "call" and report.failed and isinstance(own, Inbox):
        try:
            report.sections.append(("tinbox", own.summary()))
        except (ConnectionError, TinboxError) as error:
            report.sections.append(("tinbox", str(error)))


def _find_daemon(scope: str) -> Tinbox:
    """Uses the daemon of TINBOX_URL, else the running local one (if shared), else starts one for this test run."""
    if scope not in ("shared", "worker"):
        raise ValueError(f'tinbox_daemon must be "shared" or "worker", got "{scope}".')
    url, api_key = os.environ.get("TINBOX_URL"), os.environ.get("TINBOX_API_KEY")
    if url:
        if not api_key:
            raise RuntimeError("TINBOX_URL is set, but TINBOX_API_KEY is not. Set it to an API key of that daemon.")
        host, port = os.environ.get("SMTP_HOST"), os.environ.get("SMTP_PORT", "")
        return Tinbox(url, api_key, {"host": host, "port": int(port)} if host and port.isdigit() else None)
    _, variables = _command("status") if scope == "shared" else (1, "")
    if not variables and os.environ.get("TINBOX_NO_START"):
        raise RuntimeError(
            'No tinbox daemon is running, and TINBOX_NO_START prevents starting one. Start a daemon: tinbox daemon start'
        )
    if not variables:
        is_shared = scope == "shared" and "PYTEST_XDIST_WORKER" in os.environ
        if is_shared and os.getppid() != _PARENT:
            raise RuntimeError("Cannot use tinbox in these tests: the test run has ended.")
        pid = _PARENT if is_shared else os.getpid()
        exit_code, variables = _command("start", "--until-exit", str(pid))
        if exit_code != 0:
            raise RuntimeError(f"Cannot use tinbox in these tests: {variables}")
    found = dict(word.split("=", 1) for word in shlex.split(variables) if "=" in word)
    return Tinbox(found["TINBOX_URL"], found["TINBOX_API_KEY"])


def _command(*words: str) -> tuple[int, str]:
    """Runs "tinbox daemon …" and returns its exit code and the printed shell variables; the error text if a start failed."""
    program = shutil.which("tinbox")
    if program is None:
        raise RuntimeError(
            'Command not found: tinbox. Install it ("npm install --global tinbox"), or set TINBOX_URL and TINBOX_API_KEY.'
        )
    done = subprocess.run([program, "daemon", *words, "--format", "env"], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr.strip() if done.returncode != 0 and words[0] == "start" else done.stdout


def _having(what: str, filters: dict[str, Any]) -> dict[str, Any]:
    has = filters.get("has", [])
    return {**filters, "has": sorted({what, *([has] if isinstance(has, str) else has)})}


def _query(filters: dict[str, Any]) -> dict[str, Any]:
    """Converts filters to query parameters of the API. Regular expressions are written between slashes."""
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
        # Escape a string that looks like a regular expression.
        return f"/{re.escape(value)}/i" if is_pattern and re.match(r"(?s)/.+/[a-z]*$", str(value)) else value

    return {**({"match": "pattern"} if is_pattern else {}), **{name: wire(value) for name, value in given.items()}}


def _described(query: dict[str, Any]) -> str:
    """Describes the filters of a query as a continuation of "message", like the other kits."""
    exactly = " exactly" if query.get("match") == "exact" else ""
    wanted = [
        *(f"a {finding}" for finding in _each(query.get("has", []))),
        *(f'a link matching "{pattern}"' for pattern in _each(query.get("link", []))),
    ]
    parts = [
        f' with "{query["q"]}" in the subject' if "q" in query else "",
        *(
            f' {words}{exactly} "{query[name]}"'
            for name, words in (("subject", "with subject"), ("from", "from"), ("to", "to"))
            if name in query
        ),
        f' containing "{query["contains"]}"' if "contains" in query else "",
        *(f' with header{exactly} "{field}"' for field in _each(query.get("header", []))),
        f" that has {' and '.join(wanted)}" if wanted else "",
        f" {'over' if query['tls'] == 'true' else 'without'} TLS" if "tls" in query else "",
        f' sent by SMTP user "{query["smtp_user"]}"' if "smtp_user" in query else "",
        f" after {query['after']}" if "after" in query else "",
    ]
    return "".join(parts)


def _problems(found: dict[str, Any]) -> list[str]:
    """Lines about fault hits, mail rejected for other reasons, and evicted messages."""
    hits = found["hits"]
    replies = {hit["reply"] for hit in hits if hit["reply"] is not None}
    has_dropped = any(hit["drop"] is not None for hit in hits)

    def is_hit(refusal: dict[str, Any]) -> bool:
        if refusal["reply"] is not None:
            return refusal["reply"] in replies
        return has_dropped and re.search(r"\bfault\b", refusal["reason"]) is not None

    refusals = [refusal for refusal in found["refusals"] if not is_hit(refusal)]
    evicted = found["evicted"]
    return [
        *_fault_lines(hits),
        *_refusal_lines(refusals),
        *(
            [
                f"{evicted} {'message was' if evicted == 1 else 'messages were'} evicted: "
                "the inbox reached its message limit or age limit."
            ]
            if evicted
            else []
        ),
    ]


def _fault_lines(hits: list[dict[str, Any]]) -> list[str]:
    """One line for each fault and effect; hits are newest first."""
    groups: dict[tuple[str | None, str], list[dict[str, Any]]] = {}
    for hit in hits:
        groups.setdefault((hit["fault_id"], _effect(hit)), []).append(hit)
    lines = []
    for (fault_id, effect), group in groups.items():
        latest, count = group[0], len(group)
        is_early = latest["stage"] in ("connect", "helo", "starttls", "auth")
        what = f"{'connection' if is_early else 'mail'}{' was' if count == 1 else 's were'}"
        cause = "because of its fault address" if fault_id is None else f'by fault "{latest["name"] or fault_id}"'
        clock = datetime.fromisoformat(latest["time"].replace("Z", "+00:00")).astimezone().strftime("%H:%M:%S")
        lines.append(f"{count} {what} {effect} {cause}{'' if count == 1 else ', most recently'} at {clock}.")
    return lines


def _effect(hit: dict[str, Any]) -> str:
    drop = "" if hit["drop"] is None else _DROPS[hit["drop"]]
    what = ", ".join(part for part in (f"answered {hit['reply']}" if hit["reply"] else "", drop) if part)
    delay = f"{hit['delay_ms'] / 1000:g} s" if hit["delay_ms"] else ""
    if not what:
        return f"delayed by {delay}" if delay else "slowed down"
    return f"{what} after {delay}" if delay else what


def _refusal_lines(refusals: list[dict[str, Any]]) -> list[str]:
    shown = [
        f"{one['stage'].upper()} {'<' + one['address'] + '>' if one['address'] else 'from ' + one['client']['host']}: "
        f"{one['reason']}{' (see: tinbox help tls)' if one['stage'] == 'tls' else ''}"
        for one in refusals[:3]
    ]
    is_mail = all(one["stage"] not in ("connect", "tls", "auth") for one in refusals)
    count = len(refusals)
    if count == 0:
        return []
    if count == 1:
        return [f"1 {'mail' if is_mail else 'connection'} was rejected recently: {shown[0]}"]
    return [
        f"{count} {'mails' if is_mail else 'mails or connections'} were rejected recently (newest first):",
        *(f"  {line}" for line in shown),
        *([f"  and {count - len(shown)} more"] if count > len(shown) else []),
    ]


def _ago(time: str) -> str:
    seconds = (datetime.now().astimezone() - datetime.fromisoformat(time.replace("Z", "+00:00"))).total_seconds()
    if seconds >= 30 * 86_400:
        return time[:10]
    if seconds < 5:
        return "just now"
    unit, length = next(
        (one for one in (("d", 86_400), ("h", 3600), ("min", 60)) if seconds >= one[1]),
        ("s", 1),
    )
    return f"{int(seconds // length)} {unit} ago"


def _duration(seconds: float) -> str:
    ms = round(seconds * 1000)
    units = (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000))
    unit, length = next((one for one in units if ms > 0 and ms % one[1] == 0), ("ms", 1))
    return f"{ms // length}{unit}"


def _each(value: Any) -> Any:
    return value if isinstance(value, (list, tuple, set)) else [value]


def _answer(url: str, status: int, content: bytes) -> Any:
    try:
        body: Any = json.loads(content or b"null")
        if 200 <= status < 300:
            return body
        code, detail = body["code"], body["detail"]
    except (ValueError, KeyError, TypeError) as error:
        raise ConnectionError(f"{url} returned status {status}, but not a tinbox response. Check the address.") from error
    raise TinboxError(status, code, detail)


def _line(text: str) -> str:
    """Replaces line breaks and terminal control characters in untrusted text."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+", " ", text)
