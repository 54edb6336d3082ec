# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Runs cases against a target.

The caller's thread hands the cases of one area to workers and waits for them; each case runs on one worker,
with connections of its own.

An answer or an ending that comes more than ``_LATE_S`` after its time is late. Because the machine may be the
reason, a late case is repeated, and each repetition tolerates more: a multiple of a round trip between two
threads of the suite, and of a connect, which the target's kernel answers. Only a case that is late each time
fails.
"""

from __future__ import annotations

import secrets
import socket
import ssl
import statistics
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, field
from enum import Enum
from itertools import groupby
from pathlib import Path
from typing import Any

from kreactor.conformance.areas.answers import WELL_FORMED
from kreactor.conformance.cases import (
    Case,
    Difference,
    Late,
    Names,
    Offer,
    Stopped,
    Trial,
    ranges,
)
from kreactor.conformance.codec import Malformed, decode, request, request_header, response_body, sized
from kreactor.conformance.connection import Connection, Ending, NotTestable, Target, Transcript, Unreachable
from kreactor.conformance.errors import name_of
from kreactor.conformance.schemas import API_VERSIONS, apis_by_key

# The number of checks whether a silent target is alive, and the pause between them.
_LIFE_SIGNS = 3
_PAUSE_S = 0.5
_UNSUPPORTED_VERSION = 35
_NEWEST_API_VERSIONS = 3
# The correlation ids of the requests for the offer; scripts count from 1.
_NEWEST_OFFER_ID, OFFER_ID = 1, 0x7A58
# A target that sends other responses first is asked no longer.
_MOST_RESPONSES = 8
# The number of failures that keep the bytes of their connections; reports show fewer.
_MAX_TRANSCRIPTS = 500
# The seconds after which an event is late on an idle machine, and the repetitions of a late case.
_LATE_S = 0.5
_REPETITIONS = 4
# A target that was late in so many cases is slow: its further late cases are not repeated.
_SLOW_AFTER = 5
# A repetition tolerates so many round trips of the control, of which there are some.
_ROUND_TRIPS = 20
_CONTROLS = 5


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
    """A case with its result on the target.

    ``reason`` belongs to NOT_OFFERED, NOT_TESTABLE, KNOWN and UNEXPECTED. ``is_late`` means that only the
    time of an answer or ending was wrong.
    """

    case: Case
    status: Status
    duration_s: float = 0.0
    expected: str = ""
    actual: str = ""
    reason: str = ""
    transcripts: list[Transcript] = field(default_factory=list)
    is_late: bool = False


class Died(Exception):
    """The target has ended during the run; ``suspects`` are the cases that ran at that time."""

    def __init__(self, suspects: Sequence[str], verdicts: Sequence[Verdict], why: str) -> None:
        super().__init__(f"the target does not answer any more; it ended in {' or '.join(suspects)}: {why}")
        self.suspects = suspects
        self.verdicts = verdicts


def ask_offer(target: Target) -> Offer:
    """Return the versions that the target advertises, and what was wrong with its answers.

    Raises Unreachable, with a reason of one line.
    """
    faults: list[str] = []
    body = {"clientSoftwareName": "conformance", "clientSoftwareVersion": "1"}
    try:
        try:
            answer = _ask_offer(target, _NEWEST_API_VERSIONS, _NEWEST_OFFER_ID, body, faults)
        except Malformed as e:
            faults.append(f"ApiVersions version {_NEWEST_API_VERSIONS}: {e}")
            answer = _ask_offer(target, 0, OFFER_ID, {}, faults)
        if answer["errorCode"] == _UNSUPPORTED_VERSION:
            answer = _ask_offer(target, 0, OFFER_ID, {}, faults)
        # No target refuses version 0.
        first = _ask_offer(target, 0, OFFER_ID, {}, faults)
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
    keys = [row["apiKey"] for row in answer["apiKeys"] or ()]
    faults += [f"API key {key} is advertised {keys.count(key)} times" for key in sorted(set(keys))
               if keys.count(key) > 1]
    return Offer(ranges(answer), None if first["errorCode"] else ranges(first), tuple(dict.fromkeys(faults)))


def _ask_offer(target: Target, version: int, correlation_id: int, body: dict[str, Any],
               faults: list[str]) -> dict[str, Any]:
    """Ask for the offer, and return the first answer that can be read; append what is wrong to ``faults``.

    A response in version 0 is one with UNSUPPORTED_VERSION. Raises Malformed and Unreachable.
    """
    api = apis_by_key()[API_VERSIONS]
    with closing(Connection(target)) as connection:
        if version:
            connection.send(request(api, version, correlation_id, body))
        else:
            connection.send(sized(request_header(API_VERSIONS, 0, 1, correlation_id)))
        problem: Malformed | None = None
        for _ in range(_MOST_RESPONSES):
            response = connection.receive()
            if isinstance(response, Ending):
                if problem is not None:
                    raise problem
                raise Unreachable(f"no answer to ApiVersions version {version}: {response.value}")
            came = int.from_bytes(response[:4], "big", signed=True)
            if came != correlation_id:
                faults.append(f"a response to request {came}, where {correlation_id} was asked")
            try:
                answer = _offer_in(response, version, faults)
            except Malformed as e:
                if came == correlation_id:
                    raise
                # A frame that nobody has asked for; the answer may come behind it.
                problem = problem or e
                continue
            try:
                connection.check_nothing_came()
            except Malformed as e:
                faults.append(str(e))
            return answer
        raise problem or Malformed("too many responses")


def _offer_in(response: bytes, version: int, faults: list[str]) -> dict[str, Any]:
    """Return the body of an answer to ApiVersions, if it is malformed as far as it can be read, too.

    Raises Malformed.
    """
    api = apis_by_key()[API_VERSIONS]
    if response[4:6] == _UNSUPPORTED_VERSION.to_bytes(2, "big"):
        version = 0
    try:
        return response_body(api, version, response)
    except Malformed as e:
        answer, _ = decode(api.response, version, response, 4)
        faults.append(f"ApiVersions version {version}: {e}")
        return answer


class _Control:
    """Measures the machine: round trips between two threads, and connects to the target."""

    def __init__(self, target: Target) -> None:
        self._target = target

    def round_trip_s(self) -> float:
        """Return a usual round trip in seconds, or the time of a connect if that is longer."""
        near, far = socket.socketpair()
        with near, far:
            echo = threading.Thread(target=self._echo, args=(far,), name="conformance-control")
            echo.start()
            try:
                took = statistics.median(self._timed(lambda: self._exchange(near)) for _ in range(_CONTROLS))
            finally:
                near.shutdown(socket.SHUT_RDWR)
                echo.join()
        with suppress(OSError):
            took = max(took, min(self._timed(self._connect) for _ in range(2)))
        return took

    def _connect(self) -> None:
        address = self._target.host, self._target.port
        socket.create_connection(address, self._target.timeout_s).close()

    @staticmethod
    def _timed(action: Callable[[], None]) -> float:
        started = time.monotonic()
        action()
        return time.monotonic() - started

    @staticmethod
    def _exchange(near: socket.socket) -> None:
        near.sendall(b"x")
        near.recv(1)

    @staticmethod
    def _echo(far: socket.socket) -> None:
        with suppress(OSError):
            while data := far.recv(1):
                far.sendall(data)


class Runner:
    """Runs cases with ``jobs`` workers.

    A worker calls ``seen`` with each of its verdicts. The caller's thread calls ``area_seen`` behind each
    area, with its name, its number of cases, its verdicts and its seconds.
    """

    def __init__(self, target: Target, offer: Offer, jobs: int = 1,
                 seen: Callable[[Verdict], None] = lambda verdict: None, *,
                 area_seen: Callable[[str, int, list[Verdict], float], None] = lambda *_: None,
                 changes_settings: bool = False) -> None:
        self._target = target
        self._changes_settings = changes_settings
        self._offer = offer
        self._jobs = jobs
        self._seen = seen
        self._area_seen = area_seen
        self._names = Names(secrets.token_hex(4))
        self._control = _Control(target)
        self._lock = threading.Lock()
        # Guarded by the lock: the verdicts by the place of their cases; the current or last case of each
        # worker; the trials that run; the failures and the confirmed late cases so far.
        self._verdicts: dict[int, Verdict] = {}
        self._last: dict[int, str] = {}
        self._running: dict[int, Trial] = {}
        self._failures = 0
        self._late = 0
        # Why the target is dead, once it is; written by any worker.
        self._dead = ""
        self._stopped = threading.Event()

    def run(self, cases: Iterable[Case]) -> list[Verdict]:
        """Return one verdict for each case, in order, or those until ``stop``.

        If something was wrong with the answers to the questions for the offer, the case for them runs, too.
        Raises Died when the target has ended. After any other exception in the caller's thread, such as
        KeyboardInterrupt, ``verdicts`` has what there is.
        """
        asked = list(cases)
        if self._offer.faults and WELL_FORMED not in asked:
            asked.insert(0, WELL_FORMED)
        with ThreadPoolExecutor(self._jobs, thread_name_prefix="conformance") as workers:
            try:
                for area, numbered in groupby(enumerate(asked), lambda each: each[1].area):
                    self._run_area(workers, area, list(numbered))
                    if self._stopped.is_set():
                        break
            except BaseException:
                # A signal can raise between two areas, too.
                self.stop()
                raise
        return self.verdicts()

    def verdicts(self) -> list[Verdict]:
        """Return the verdicts so far, in the order of the cases. Called by any thread."""
        with self._lock:
            return [self._verdicts[place] for place in sorted(self._verdicts)]

    def stop(self) -> None:
        """Begin no more cases, and end those that run without a verdict. Called by any thread.

        No verdict is added after the call.
        """
        with self._lock:
            self._stopped.set()
            running = list(self._running.values())
        for trial in running:
            trial.abort()

    def _run_area(self, workers: ThreadPoolExecutor, area: str, numbered: list[tuple[int, Case]]) -> None:
        started = time.monotonic()
        try:
            for _ in workers.map(lambda each: self._judge(*each), numbered):
                pass
            if not self._stopped.is_set() and (why := self._dead or self._life_sign()):
                raise Died(sorted(set(self._last.values())), self.verdicts(), why)
        except BaseException:
            # Before the report, which has the same verdicts as the run.
            self.stop()
            raise
        finally:
            with self._lock:
                found = [self._verdicts[place] for place, _ in numbered if place in self._verdicts]
            self._area_seen(area, len(numbered), found, time.monotonic() - started)

    def _judge(self, place: int, case: Case) -> None:
        """Find a case's verdict, unless the target has ended or the run is stopped."""
        if self._dead or self._stopped.is_set():
            return
        if case.is_offered(self._offer):
            with self._lock:
                self._last[threading.get_ident()] = case.id
            verdict = self._judged(case)
            if verdict is None:
                return
        else:
            assert case.needs is not None
            verdict = Verdict(case, Status.NOT_OFFERED, reason="{} version {}".format(*case.needs))
        with self._lock:
            if self._stopped.is_set():
                return
            self._verdicts[place] = verdict
        self._seen(verdict)

    def _judged(self, case: Case) -> Verdict | None:
        """Run a case. One that is late is repeated with more tolerance, and one that fails is repeated."""
        verdict = self._try(case, _LATE_S)
        if verdict is not None and verdict.is_late:
            verdict = self._repeated_late(case, verdict)
        if verdict is None or verdict.status is not Status.FAILED:
            return verdict
        self._bound(verdict)
        if why := self._life_sign():
            self._dead = why
        elif not verdict.is_late:
            again = self._try(case, _LATE_S)
            if again is None:
                return None
            if again.status is Status.PASSED:
                verdict.status = Status.FLAKY
        return verdict

    def _repeated_late(self, case: Case, late: Verdict) -> Verdict | None:
        """Return the first verdict that is not late, or the last late one."""
        with self._lock:
            if self._late >= _SLOW_AFTER:
                return late
        times = [late.actual]
        slowest_s = 0.0
        for _ in range(_REPETITIONS):
            control_s = self._control.round_trip_s()
            verdict = self._try(case, _LATE_S + _ROUND_TRIPS * control_s)
            if verdict is None or not verdict.is_late:
                return verdict
            late = verdict
            slowest_s = max(slowest_s, control_s)
            times.append(late.actual)
        with self._lock:
            self._late += 1
        late.actual = f"{', then '.join(times)}; a round trip of the suite takes {slowest_s * 1000:.1f} ms"
        return late

    def _bound(self, verdict: Verdict) -> None:
        """Drop the bytes of a failure after many others, so that a run's memory is bounded."""
        with self._lock:
            self._failures += 1
            if self._failures > _MAX_TRANSCRIPTS:
                verdict.transcripts.clear()

    def _try(self, case: Case, late_s: float) -> Verdict | None:
        """Run a case once. Returns None if the run is stopped meanwhile."""
        trial = Trial(self._target, self._offer, self._names.next(), self._changes_settings, late_s=late_s,
                      stopped=self._stopped)
        with self._lock:
            self._running[id(trial)] = trial
        started = time.monotonic()
        try:
            verdict = _verdict(case, trial)
        except Stopped:
            return None
        finally:
            with self._lock:
                del self._running[id(trial)]
        # An ending of a stopped run's connection is not the target's.
        if self._stopped.is_set():
            return None
        verdict.duration_s = time.monotonic() - started
        return verdict

    def _life_sign(self) -> str:
        """Return why the target does not answer any more, or nothing if it does."""
        why = ""
        for attempt in range(_LIFE_SIGNS):
            try:
                ask_offer(self._target)
                return ""
            except Unreachable as e:
                why = str(e)
            if attempt < _LIFE_SIGNS - 1 and self._stopped.wait(_PAUSE_S):
                break
        return why


def _verdict(case: Case, trial: Trial) -> Verdict:
    """Run a case, and return its verdict. Raises Stopped."""
    status, expected, actual, reason, is_late = Status.PASSED, "", "", "", False
    try:
        case.run(trial)
    except Difference as e:
        status, expected, actual, is_late = Status.FAILED, e.expected, e.actual, isinstance(e, Late)
    except NotTestable as e:
        status, reason = Status.NOT_TESTABLE, str(e)
    except (Malformed, Unreachable) as e:
        status, expected, actual = Status.FAILED, "an answer", str(e)
    except OSError as e:
        status, expected, actual = Status.FAILED, "a connection", e.strerror or str(e)
    except (LookupError, TypeError, ValueError) as e:
        # An answer of the schema without what the case reads of it, such as null for an array.
        place = traceback.extract_tb(e.__traceback__)[-1]
        status, expected = Status.FAILED, "an answer that has what was asked for"
        actual = f"{type(e).__name__} at {Path(place.filename).name}:{place.lineno}: {e}"
    if trial.faults and status is not Status.FAILED:
        status, reason = Status.FAILED, ""
        expected, actual = "an answer to each request of the clean-up", "; ".join(trial.faults)
    return Verdict(case, status, 0.0, expected, actual, reason,
                   trial.transcripts if status is Status.FAILED else [], is_late)
