# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Runs cases against a target.

The caller's thread hands the cases of one area to workers and waits for them; each case runs on one worker,
with connections of its own.
"""

from __future__ import annotations

import secrets
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from itertools import groupby

from kreactor.conformance.cases import Case, Difference, Names, NotTestable, Offer, Trial, ranges
from kreactor.conformance.codec import Malformed, request_header, response_body, sized
from kreactor.conformance.connection import Connection, Ending, Target, Transcript, Unreachable
from kreactor.conformance.errors import name_of
from kreactor.conformance.schemas import API_VERSIONS, apis_by_key

# The number of checks whether a silent target is alive, and the pause between them.
_LIFE_SIGNS = 3
_PAUSE_S = 0.5
_UNSUPPORTED_VERSION = 35
_NEWEST_API_VERSIONS = 3
# The correlation id of the second request for the offer; scripts count from 1.
OFFER_ID = 0x7A58
# The number of failures that keep the bytes of their connections; reports show fewer.
_MAX_TRANSCRIPTS = 500


class Status(Enum):
    """The verdict on one case."""

    PASSED = "passed"
    FAILED = "failed"
    FLAKY = "flaky"                # failed, then passed alone
    KNOWN = "known failure"        # failed, and the expectation file has it
    UNEXPECTED = "passed against expectation"
    NOT_OFFERED = "not offered"
    NOT_TESTABLE = "not testable"


@dataclass
class Verdict:
    """A case with its result on the target. ``reason`` belongs to NOT_TESTABLE, KNOWN and UNEXPECTED."""

    case: Case
    status: Status
    duration_s: float = 0.0
    expected: str = ""
    actual: str = ""
    reason: str = ""
    transcripts: list[Transcript] = field(default_factory=list)


class Died(Exception):
    """The target has ended during the run; ``suspects`` are the cases that ran at that time."""

    def __init__(self, suspects: Sequence[str], verdicts: Sequence[Verdict]) -> None:
        super().__init__("the target does not answer any more; it ended in " + " or ".join(suspects))
        self.suspects = suspects
        self.verdicts = verdicts


def ask_offer(target: Target) -> Offer:
    """Return the versions that the target advertises. Raises Unreachable, with a reason of one line."""
    api = apis_by_key()[API_VERSIONS]
    body = {"clientSoftwareName": "conformance", "clientSoftwareVersion": "1"}
    try:
        with Connection(target) as connection:
            try:
                answer = connection.ask(api, _NEWEST_API_VERSIONS, body, 1)
            except Malformed:
                answer = _ask_version_0(target)
        if answer["errorCode"] == _UNSUPPORTED_VERSION:
            answer = _ask_version_0(target)
        first = _ask_version_0(target)
    except Unreachable as e:
        raise Unreachable(f"{target}: {e}") from None
    except Malformed as e:
        raise Unreachable(f"{target} does not speak Kafka's protocol: {e}") from None
    except ssl.SSLError as e:
        raise Unreachable(f"{target}: TLS: {e.reason or e}") from None
    except OSError as e:
        raise Unreachable(f"{target}: {e.strerror or e}") from None
    if answer["errorCode"]:
        raise Unreachable(f"{target}: ApiVersions is answered with {name_of(int(str(answer['errorCode'])))}")
    return Offer(ranges(answer), None if first["errorCode"] else ranges(first))


def _ask_version_0(target: Target) -> dict[str, object]:
    """Request the offer in version 0, which no target refuses. Raises Malformed and Unreachable."""
    with Connection(target) as connection:
        connection.send(sized(request_header(API_VERSIONS, 0, 1, OFFER_ID)))
        response = connection.receive()
        if isinstance(response, Ending):
            raise Unreachable(f"no answer to ApiVersions: {response.value}")
        return response_body(apis_by_key()[API_VERSIONS], 0, response)


class Runner:
    """Runs cases with ``jobs`` workers. A worker calls ``seen`` with each of its verdicts."""

    def __init__(self, target: Target, offer: Offer, jobs: int = 1,
                 seen: Callable[[Verdict], None] = lambda verdict: None, *,
                 changes_settings: bool = False) -> None:
        self._target = target
        self._changes_settings = changes_settings
        self._offer = offer
        self._jobs = jobs
        self._seen = seen
        self._names = Names(secrets.token_hex(4))
        self._lock = threading.Lock()
        # Guarded by the lock: the current or last case of each worker; the failures so far.
        self._last: dict[int, str] = {}
        self._failures = 0
        self._dead = threading.Event()

    def run(self, cases: Iterable[Case]) -> list[Verdict]:
        """Return one verdict for each case, in order. Raises Died when the target has ended."""
        verdicts: list[Verdict] = []
        with ThreadPoolExecutor(self._jobs, thread_name_prefix="conformance") as workers:
            for _, area in groupby(cases, lambda case: case.area):
                verdicts += [verdict for verdict in workers.map(self._judge, area) if verdict is not None]
                if self._dead.is_set() or not self._lives():
                    raise Died(sorted(set(self._last.values())), verdicts)
        return verdicts

    def _judge(self, case: Case) -> Verdict | None:
        """Return a case's verdict, or None once the target has ended. A failed case is repeated alone."""
        if self._dead.is_set():
            return None
        if not case.is_offered(self._offer):
            assert case.needs is not None
            verdict = Verdict(case, Status.NOT_OFFERED, reason="{} version {}".format(*case.needs))
        else:
            with self._lock:
                self._last[threading.get_ident()] = case.id
            verdict = self._try(case)
            if verdict.status is Status.FAILED:
                self._bound(verdict)
                if not self._lives():
                    self._dead.set()
                elif self._try(case).status is Status.PASSED:
                    verdict.status = Status.FLAKY
        self._seen(verdict)
        return verdict

    def _bound(self, verdict: Verdict) -> None:
        """Drop the bytes of a failure after many others, so that a run's memory is bounded."""
        with self._lock:
            self._failures += 1
            if self._failures > _MAX_TRANSCRIPTS:
                verdict.transcripts.clear()

    def _try(self, case: Case) -> Verdict:
        trial = Trial(self._target, self._offer, self._names.next(), self._changes_settings)
        started = time.monotonic()
        status, expected, actual, reason = Status.PASSED, "", "", ""
        try:
            case.run(trial)
        except Difference as e:
            status, expected, actual = Status.FAILED, e.expected, e.actual
        except NotTestable as e:
            status, reason = Status.NOT_TESTABLE, str(e)
        except (Malformed, Unreachable) as e:
            status, expected, actual = Status.FAILED, "an answer", str(e)
        except OSError as e:
            status, expected, actual = Status.FAILED, "a connection", e.strerror or str(e)
        transcripts = trial.transcripts if status is Status.FAILED else []
        return Verdict(case, status, time.monotonic() - started, expected, actual, reason, transcripts)

    def _lives(self) -> bool:
        for attempt in range(_LIFE_SIGNS):
            with suppress(Unreachable):
                ask_offer(self._target)
                return True
            if attempt < _LIFE_SIGNS - 1:
                time.sleep(_PAUSE_S)
        return False
