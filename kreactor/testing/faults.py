# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Faults that a test has a broker inject, and the rules that choose the requests.

Each rule is evaluated once for each request, on the network thread that read the request, in the order of
arrival. With one network thread, the default of a test broker, and a seed, each run makes the same choices.
All rules that choose a request apply to it.

Any thread adds and removes rules. ``_lock`` guards the list of rules and their counts. Predicates are called
under this lock, so they must not wait for the broker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING

from kreactor.common.errors import ApiException
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.forks import owned_by_process
from kreactor.jdk.locks import ReentrantLock
from kreactor.jdk.random_numbers import Random

if TYPE_CHECKING:
    from kreactor.testing.received import ReceivedRequest

log = LogContext().logger(f"{__name__}.Faults")


@dataclass(frozen=True)
class Fault:
    """One kind of fault; the subclasses say which."""


@dataclass(frozen=True)
class Delay(Fault):
    """The request is handled, and its response is delayed by ``ms`` milliseconds of the broker's clock."""

    ms: int


@dataclass(frozen=True)
class Drop(Fault):
    """No response is sent, and the connection stays open.

    As with a hung broker, nothing more is read from it.

    With ``handled=False`` the request is not handled either. The connection is closed when the broker stops,
    or when it has been idle for too long.
    """

    handled: bool = True


@dataclass(frozen=True)
class Close(Fault):
    """The connection is closed instead of a response. With ``handled=False`` the request is not handled."""

    handled: bool = True


@dataclass(frozen=True)
class Error(Fault):
    """The response is an error with Kafka's name, such as NOT_LEADER_OR_FOLLOWER. The request is not handled.

    For a request without a response (acks=0) the connection is closed, as Kafka does for any error.
    """

    error: Errors | str

    def exception(self) -> ApiException:
        """Return the error as an exception. Raises ValueError for an unknown name, and for NONE."""
        try:
            errors = self.error if isinstance(self.error, Errors) else Errors[self.error]
        except KeyError:
            raise ValueError(f"Kafka has no error {self.error}") from None
        exception = errors.exception()
        if exception is None:
            raise ValueError(f"{errors.name} is no error")
        return exception


@dataclass(frozen=True)
class Truncate(Fault):
    """The connection is closed after the first ``size`` bytes of the response, including its 4-byte size."""

    size: int


@dataclass(frozen=True)
class Split(Fault):
    """The response is sent in pieces of ``size`` bytes, one in each round of the network thread."""

    size: int


@dataclass(frozen=True)
class SlowReader(Fault):
    """The broker reads ``size`` bytes from a connection at a time, then pauses for ``pause_ms``.

    The broker reads bytes before it knows their request. So only ``client_id`` chooses, from the client's
    first request on.
    """

    size: int
    pause_ms: int


class Rule:
    """A fault and its choice of requests. A ``with`` statement removes the rule at its end."""

    def __init__(self, faults: Faults, fault: Fault, apis: frozenset[ApiKeys] | None, client_id: str | None,
                 first: int | None, after: int, every: int, when: Callable[[ReceivedRequest], object] | None,
                 probability: float, seed: str) -> None:
        self._faults = faults
        self.fault = fault
        self._apis = apis
        self._client_id = client_id
        self._first = first
        self._after = after
        self._every = every
        self._when = when
        self._probability = probability
        self._random = Random(seed)
        self._seen = 0
        # The number of requests that got the fault; for a SlowReader, the number of connections.
        self.hits = 0

    def _chooses(self, received: ReceivedRequest) -> bool:
        if self._apis is not None and received.api_key not in self._apis:
            return False
        if self._client_id is not None and received.client_id != self._client_id:
            return False
        if self._when is not None:
            try:
                if not self._when(received):
                    return False
            except Exception as e:
                log.error("the predicate of %s failed for %s; the fault is not applied", self.fault, received,
                          exc=e)
                return False
        self._seen += 1
        number = self._seen - self._after
        if number <= 0 or (self._first is not None and number > self._first) or number % self._every:
            return False
        if self._probability < 1 and self._random.random() >= self._probability:
            return False
        self.hits += 1
        return True

    def remove(self) -> None:
        """Stop applying the rule to later requests. A second call does nothing."""
        self._faults._remove(self)

    def __enter__(self) -> Rule:
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 tb: TracebackType | None) -> None:
        self.remove()


class Faults:
    """The rules of a broker."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._lock = ReentrantLock()
        # Replaced, never changed, so that a broker without rules takes no lock.
        self._rules: tuple[Rule, ...] = ()
        self._slow: tuple[Rule, ...] = ()
        self._added = 0
        # Called without the lock for a new slow reader. Returns when all connections apply the rule.
        self.on_slow: Callable[[], None] = lambda: None
        owned_by_process(self)

    def forget_in_child(self) -> None:
        """Keep the rules in a forked child, where no broker applies them."""
        self._lock = ReentrantLock()
        self.on_slow = lambda: None

    def add(self, fault: Fault, *, api: ApiKeys | str | Iterable[ApiKeys | str] | None = None,
            client_id: str | None = None, first: int | None = None, after: int = 0, every: int = 1,
            when: Callable[[ReceivedRequest], object] | None = None, probability: float = 1.0) -> Rule:
        """Inject ``fault`` into the requests that fit all arguments.

        The rule counts the requests of the given APIs and client for which ``when`` is true. It skips the
        first ``after`` of these and takes at most ``first`` of the rest. Of these it takes every ``every``-th
        one, each with ``probability``. Raises ValueError for values out of range.
        """
        if isinstance(fault, Error):
            fault.exception()
        if isinstance(fault, SlowReader) and (
                api is not None or first is not None or after or every != 1 or when or probability != 1.0):
            raise ValueError("SlowReader: takes client_id alone, because reads precede the request")
        if isinstance(fault, (Split, SlowReader)) and fault.size < 1:
            raise ValueError(f"{fault}: size must be at least 1")
        if every < 1 or after < 0 or (first is not None and first < 0) or not 0 <= probability <= 1:
            raise ValueError(
                f"first={first}, after={after}, every={every}, probability={probability}: out of range")
        with self._lock:
            self._added += 1
            rule = Rule(self, fault, None if api is None else _apis(api), client_id, first, after, every,
                        when, probability, f"{self._seed}/{self._added}")
            if isinstance(fault, SlowReader):
                self._slow = (*self._slow, rule)
            else:
                self._rules = (*self._rules, rule)
        if isinstance(fault, SlowReader):
            self.on_slow()
        return rule

    def clear(self) -> None:
        """Remove all rules. Requests that are already delayed or dropped stay so."""
        with self._lock:
            self._rules = self._slow = ()

    def _remove(self, rule: Rule) -> None:
        with self._lock:
            self._rules = tuple(other for other in self._rules if other is not rule)
            self._slow = tuple(other for other in self._slow if other is not rule)

    def choose(self, received: ReceivedRequest) -> tuple[Fault, ...]:
        """Return the rules that apply to a request. Called once for each request."""
        if not self._rules:
            return ()
        with self._lock:
            return tuple(rule.fault for rule in self._rules if rule._chooses(received))

    def has_slow(self) -> bool:
        """Return whether any rule has a SlowReader."""
        return bool(self._slow)

    def slow_rule(self, client_id: str | None) -> Rule | None:
        """Return the SlowReader rule for a client; ``client_id`` is None before its first request."""
        for rule in self._slow:
            if rule._client_id is None or rule._client_id == client_id:
                return rule
        return None


def api_key(name: ApiKeys | str) -> ApiKeys:
    """Return the API of a name. Raises ValueError."""
    if isinstance(name, ApiKeys):
        return name
    for key in ApiKeys.values():
        if key.name == name:
            return key
    raise ValueError(f"Kafka has no API {name}")


def _apis(api: ApiKeys | str | Iterable[ApiKeys | str]) -> frozenset[ApiKeys]:
    if isinstance(api, (ApiKeys, str)):
        return frozenset({api_key(api)})
    return frozenset(api_key(each) for each in api)
