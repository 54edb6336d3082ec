# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of ExpiringCredentialRefreshingLoginTest, of the package
# org.apache.kafka.common.security.oauthbearer.internals.expiring of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""When a login is refreshed, and in which order its contexts log in and out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.sasl_configs import SaslConfigs
from kreactor.common.security.authenticator.abstract_login import AbstractLogin
from kreactor.common.security.oauthbearer.internals.expiring.expiring_credential import ExpiringCredential
from kreactor.common.security.oauthbearer.internals.expiring.expiring_credential_refresh_config import (
    ExpiringCredentialRefreshConfig,
)
from kreactor.common.security.oauthbearer.internals.expiring.expiring_credential_refreshing_login import (
    ExpiringCredentialRefreshingLogin,
)
from kreactor.common.utils.time import Time
from kreactor.jdk.concurrent import CompletableFuture
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.login import AppConfigurationEntry, Configuration, LoginContext, LoginException, Subject
from kreactor.testing.mock_time import MockTime

MINUTE_MS = 60 * 1000
WAIT_S = 60


class EmptyWildcardConfiguration(Configuration):
    """Has any name, and no modules."""

    def get_app_configuration_entry(self, name: str) -> list[AppConfigurationEntry]:
        return []


EMPTY_WILDCARD_CONFIGURATION = EmptyWildcardConfiguration()


class TestExpiringCredential(ExpiringCredential):
    __test__ = False

    def __init__(self, create_ms: int, expire_time_ms: int,
                 absolute_last_refresh_time_ms: int | None) -> None:
        self._create_ms = create_ms
        self._expire_time_ms = expire_time_ms
        self._absolute_last_refresh_time_ms = absolute_last_refresh_time_ms

    def principal_name(self) -> str:
        return f"Created at {self._create_ms}"

    def start_time_ms(self) -> int | None:
        return self._create_ms

    def expire_time_ms(self) -> int:
        return self._expire_time_ms

    def absolute_last_refresh_time_ms(self) -> int | None:
        return self._absolute_last_refresh_time_ms


class TestExpiringCredentialRefreshingLogin(ExpiringCredentialRefreshingLogin):
    """Creates a credential with each login, and removes one with each logout."""

    __test__ = False

    def __init__(self, refresh_config: ExpiringCredentialRefreshConfig,
                 login_context_factory: TestLoginContextFactory, time: Time, lifetime_millis: int,
                 absolute_last_refresh_ms: int | None, client_relogin_allowed_before_logout: bool,
                 create_offset_ms: int = 0) -> None:
        super().__init__(
            "contextName", EMPTY_WILDCARD_CONFIGURATION, refresh_config,
            AbstractLogin.DefaultLoginCallbackHandler(), TestExpiringCredentialRefreshingLogin,
            login_context_factory, time)
        self._credential: ExpiringCredential | None = None
        self._tmp_expiring_credential: ExpiringCredential | None = None
        self._lifetime_millis = lifetime_millis
        self._absolute_last_refresh_time_ms = absolute_last_refresh_ms
        self._client_relogin_allowed_before_logout = client_relogin_allowed_before_logout
        self._create_offset_ms = create_offset_ms

    def create_new_expiring_credential(self) -> None:
        if not self._client_relogin_allowed_before_logout:
            self._credential = self._internal_new_expiring_credential()
        elif self._credential is None:
            self._credential = self._internal_new_expiring_credential()
        else:
            # The logout of the one before comes next, and takes this one over.
            self._tmp_expiring_credential = self._internal_new_expiring_credential()

    def clear_expiring_credential(self) -> None:
        self._credential = (
            self._tmp_expiring_credential if self._client_relogin_allowed_before_logout else None)

    def expiring_credential(self) -> ExpiringCredential | None:
        return self._credential

    def _internal_new_expiring_credential(self) -> ExpiringCredential:
        now = self._time.milliseconds()
        return TestExpiringCredential(
            now + self._create_offset_ms, now + self._lifetime_millis, self._absolute_last_refresh_time_ms)


class MockLoginContext:
    """Notes what is called; ``on_login`` has what each login does first."""

    def __init__(self, *on_login: Callable[[], None]) -> None:
        self.calls: list[str] = []
        self._subject = Subject()
        self._on_login = list(on_login)

    def login(self) -> None:
        self.calls.append("login")
        if self._on_login:
            self._on_login.pop(0)()

    def logout(self) -> None:
        self.calls.append("logout")

    def get_subject(self) -> Subject:
        self.calls.append("get_subject")
        return self._subject


class TestLoginContext(LoginContext):
    """Forwards to a mock, and tells the login of the test. A logout without a login ends the refresher."""

    __test__ = False
    __slots__ = ("_login", "_mock_login_context", "_login_success")

    def __init__(self, login: TestExpiringCredentialRefreshingLogin,
                 mock_login_context: MockLoginContext) -> None:
        self._login = login
        self._mock_login_context = mock_login_context
        self._login_success = False

    def login(self) -> None:
        self._mock_login_context.login()
        self._login.create_new_expiring_credential()
        self._login_success = True

    def logout(self) -> None:
        if not self._login_success:
            raise IllegalStateException("logout called without a successful login")
        self._mock_login_context.logout()
        self._login.clear_expiring_credential()

    def get_subject(self) -> Subject:
        return self._mock_login_context.get_subject()


class TestLoginContextFactory(ExpiringCredentialRefreshingLogin.LoginContextFactory):
    __test__ = False

    def __init__(self, mock_login_context: MockLoginContext) -> None:
        self.refresher_thread_started_future = threading.Event()
        self.refresher_thread_done_future = threading.Event()
        self._mock_login_context = mock_login_context

    def create_login_context(
            self, expiring_credential_refreshing_login: ExpiringCredentialRefreshingLogin) -> LoginContext:
        assert isinstance(expiring_credential_refreshing_login, TestExpiringCredentialRefreshingLogin)
        return TestLoginContext(expiring_credential_refreshing_login, self._mock_login_context)

    def refresher_thread_started(self) -> None:
        self.refresher_thread_started_future.set()

    def refresher_thread_done(self) -> None:
        self.refresher_thread_done_future.set()


class MockScheduler:
    """Completes futures with the time at which the clock has moved far enough."""

    def __init__(self, time: MockTime) -> None:
        self._time = time
        self._waiters: list[tuple[int, CompletableFuture[int]]] = []
        time.add_listener(self.on_time_updated)

    def on_time_updated(self) -> None:
        time_ms = self._time.milliseconds()
        for at_ms, waiter in self._waiters:
            if at_ms <= time_ms and not waiter.is_done():
                waiter.complete(time_ms)

    def add_waiter(self, delay_ms: int, waiter: CompletableFuture[int]) -> None:
        self._waiters.append((self._time.milliseconds() + delay_ms, waiter))


def add_waiters(mock_scheduler: MockScheduler, refresh_every_millis: int,
                num_waiters: int) -> list[CompletableFuture[int]]:
    retval_waiters = []
    for i in range(1, num_waiters + 1):
        waiter: CompletableFuture[int] = CompletableFuture()
        mock_scheduler.add_waiter(i * refresh_every_millis, waiter)
        retval_waiters.append(waiter)
    return retval_waiters


def refresh_config(refresh_window_factor: float, min_period_seconds: int, buffer_seconds: int,
                   client_relogin_allowed_before_logout: bool) -> ExpiringCredentialRefreshConfig:
    """Return one that has a re-login after each given part of a lifetime."""
    configs = {
        SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_FACTOR: refresh_window_factor,
        SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_JITTER: 0,
        SaslConfigs.SASL_LOGIN_REFRESH_MIN_PERIOD_SECONDS: min_period_seconds,
        SaslConfigs.SASL_LOGIN_REFRESH_BUFFER_SECONDS: buffer_seconds,
    }
    return ExpiringCredentialRefreshConfig(
        ConfigDef().with_client_sasl_support().parse(configs), client_relogin_allowed_before_logout)


class Place:
    """A login on a clock that stands still until the refresher sleeps."""

    def __init__(self, mock_login_context: MockLoginContext, *, num_expected_refreshes: int,
                 lifetime_minutes: int, refresh_every_minutes: int, min_period_seconds: int = 0,
                 buffer_seconds: int = 0, client_relogin_allowed_before_logout: bool = True,
                 create_offset_ms: int = 0) -> None:
        self.mock_login_context = mock_login_context
        self.mock_time = MockTime()
        self.start_ms = self.mock_time.milliseconds()
        # Half an interval after the last refresh that is expected.
        absolute_last_refresh_ms = (
            self.start_ms + (1 + num_expected_refreshes) * MINUTE_MS * refresh_every_minutes
            - MINUTE_MS * refresh_every_minutes // 2)
        self.mock_scheduler = MockScheduler(self.mock_time)
        self.factory = TestLoginContextFactory(mock_login_context)
        self.login = TestExpiringCredentialRefreshingLogin(
            refresh_config(1.0 * refresh_every_minutes / lifetime_minutes, min_period_seconds, buffer_seconds,
                           client_relogin_allowed_before_logout),
            self.factory, self.mock_time, MINUTE_MS * lifetime_minutes, absolute_last_refresh_ms,
            client_relogin_allowed_before_logout, create_offset_ms)

    @contextmanager
    def logged_in(self) -> Iterator[None]:
        """Log in, and wait for the refresher thread to exit."""
        assert not self.factory.refresher_thread_started_future.is_set()
        assert not self.factory.refresher_thread_done_future.is_set()
        try:
            self.login.login()
            assert self.factory.refresher_thread_started_future.is_set()
            assert self.factory.refresher_thread_done_future.wait(WAIT_S)
            yield
        finally:
            self.login.close()

    def check(self, num_expected_refreshes: int, every_ms: int) -> None:
        """Log in, and find that many refreshes, each so long after the one before."""
        waiters = add_waiters(self.mock_scheduler, every_ms, num_expected_refreshes + 1)
        with self.logged_in():
            assert self.mock_time.milliseconds() == self.start_ms + num_expected_refreshes * every_ms
            for i in range(num_expected_refreshes):
                waiter = waiters[i]
                assert waiter.is_done()
                assert waiter.get() - self.start_ms == (i + 1) * every_ms
            assert not waiters[num_expected_refreshes].is_done()


def test_refresh() -> None:
    for num_expected_refreshes in (0, 1, 2):
        for client_relogin_allowed_before_logout in (True, False):
            mock_login_context = MockLoginContext()
            refresh_every_minutes = 80
            place = Place(mock_login_context, num_expected_refreshes=num_expected_refreshes,
                          lifetime_minutes=100, refresh_every_minutes=refresh_every_minutes,
                          client_relogin_allowed_before_logout=client_relogin_allowed_before_logout)
            place.check(num_expected_refreshes, MINUTE_MS * refresh_every_minutes)
            pair = ["login", "logout"] if client_relogin_allowed_before_logout else ["logout", "login"]
            assert mock_login_context.calls == ["login", "get_subject", *pair * num_expected_refreshes]


def test_refresh_with_expiration_smaller_than_configured_buffers() -> None:
    mock_login_context = MockLoginContext()
    lifetime_minutes, refresh_every_minutes = 10, 8
    # Together more than the lifetime.
    min_period_seconds = buffer_seconds = 1 + lifetime_minutes * 60 // 2
    place = Place(mock_login_context, num_expected_refreshes=1, lifetime_minutes=lifetime_minutes,
                  refresh_every_minutes=refresh_every_minutes, min_period_seconds=min_period_seconds,
                  buffer_seconds=buffer_seconds)
    place.check(1, MINUTE_MS * refresh_every_minutes)
    assert mock_login_context.calls == ["login", "get_subject", "login", "logout"]


def test_refresh_with_expiration_smaller_than_configured_buffers_and_older_create_time() -> None:
    mock_login_context = MockLoginContext()
    lifetime_minutes, refresh_every_minutes = 10, 8
    min_period_seconds = buffer_seconds = 1 + lifetime_minutes * 60 // 2
    place = Place(mock_login_context, num_expected_refreshes=1, lifetime_minutes=lifetime_minutes,
                  refresh_every_minutes=refresh_every_minutes, min_period_seconds=min_period_seconds,
                  buffer_seconds=buffer_seconds, create_offset_ms=-60 * MINUTE_MS)
    place.check(1, MINUTE_MS * refresh_every_minutes)
    assert mock_login_context.calls == ["login", "get_subject", "login", "logout"]


def test_refresh_with_min_period_intrusion() -> None:
    mock_login_context = MockLoginContext()
    lifetime_minutes, refresh_every_minutes, buffer_intrusion_seconds = 10, 8, 1
    # Delays the refresh a little.
    min_period_seconds = refresh_every_minutes * 60 + buffer_intrusion_seconds
    place = Place(mock_login_context, num_expected_refreshes=1, lifetime_minutes=lifetime_minutes,
                  refresh_every_minutes=refresh_every_minutes, min_period_seconds=min_period_seconds)
    place.check(1, 1000 * (60 * refresh_every_minutes + buffer_intrusion_seconds))
    assert mock_login_context.calls == ["login", "get_subject", "login", "logout"]


def test_refresh_with_pre_expiration_buffer_intrusion() -> None:
    mock_login_context = MockLoginContext()
    lifetime_minutes, refresh_every_minutes, buffer_intrusion_seconds = 10, 8, 1
    # Has the refresh a little earlier.
    buffer_seconds = (lifetime_minutes - refresh_every_minutes) * 60 + buffer_intrusion_seconds
    place = Place(mock_login_context, num_expected_refreshes=1, lifetime_minutes=lifetime_minutes,
                  refresh_every_minutes=refresh_every_minutes, buffer_seconds=buffer_seconds)
    place.check(1, 1000 * (60 * refresh_every_minutes - buffer_intrusion_seconds))
    assert mock_login_context.calls == ["login", "get_subject", "login", "logout"]


def fail() -> None:
    raise LoginException("not this time")


def test_login_exception_causes_correct_logout() -> None:
    mock_login_context = MockLoginContext(lambda: None, fail)
    place = Place(mock_login_context, num_expected_refreshes=3, lifetime_minutes=100,
                  refresh_every_minutes=80)
    # A logout of the context whose login has failed would end the thread without a word.
    with place.logged_in():
        pass
    assert mock_login_context.calls == [
        "login", "get_subject", "login", "login", "logout", "login", "logout", "login", "logout"]


# -- cases of our own ----------------------------------------------------------------------------------


def test_a_login_that_fails_until_the_credential_has_expired(caplog: pytest.LogCaptureFixture) -> None:
    # Two minutes of failures, 10 s apart; then the credential has expired, and the login goes on.
    mock_login_context = MockLoginContext(lambda: None, *[fail] * 20)
    place = Place(mock_login_context, num_expected_refreshes=1, lifetime_minutes=10, refresh_every_minutes=8)
    with place.logged_in():
        assert place.mock_time.milliseconds() == place.start_ms + 8 * MINUTE_MS + 20 * 10_000
    assert mock_login_context.calls.count("login") == 22
    assert mock_login_context.calls[-2:] == ["login", "logout"]
    assert sum("LoginException during login retry" in each.getMessage() for each in caplog.records) == 20


class NoCredential(TestExpiringCredentialRefreshingLogin):
    def create_new_expiring_credential(self) -> None:
        pass


def new_login(login_class: type[TestExpiringCredentialRefreshingLogin], mock_login_context: MockLoginContext,
              time: Time, lifetime_ms: int, before_logout: bool = True,
              create_offset_ms: int = 0) -> TestExpiringCredentialRefreshingLogin:
    return login_class(refresh_config(0.8, 0, 0, before_logout), TestLoginContextFactory(mock_login_context),
                       time, lifetime_ms, None, before_logout, create_offset_ms)


def refreshers() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("kafka-expiring")]


def test_without_a_credential_there_is_no_thread() -> None:
    login = new_login(NoCredential, MockLoginContext(), MockTime(), MINUTE_MS)
    login.login()
    assert not refreshers()
    login.close()


def test_a_credential_that_has_expired_is_not_refreshed(caplog: pytest.LogCaptureFixture) -> None:
    login = new_login(TestExpiringCredentialRefreshingLogin, MockLoginContext(), MockTime(), -1)
    login.login()
    assert not refreshers()
    assert "No re-login thread starts" in caplog.text
    login.close()


def test_close_ends_a_sleep_on_the_systems_clock() -> None:
    mock_login_context = MockLoginContext()
    login = new_login(TestExpiringCredentialRefreshingLogin, mock_login_context, Time.SYSTEM, 10 * MINUTE_MS)
    subject = login.login().get_subject()
    assert login.subject() is subject and login.service_name() == "kafka"
    assert len(refreshers()) == 1
    login.close()
    assert not refreshers()
    login.close()
    assert mock_login_context.calls.count("login") == 1


def test_close_ends_the_sleep_after_a_failure() -> None:
    failed = threading.Event()

    def fail_and_say() -> None:
        failed.set()
        fail()

    # Of an hour and ten minutes only ten are left: the first re-login comes at once.
    login = new_login(TestExpiringCredentialRefreshingLogin, MockLoginContext(lambda: None, fail_and_say),
                      Time.SYSTEM, 10 * MINUTE_MS, create_offset_ms=-60 * MINUTE_MS)
    login.login()
    assert failed.wait(WAIT_S)
    login.close()
    assert not refreshers()


class Kept(TestExpiringCredentialRefreshingLogin):
    """Keeps a credential through every call."""

    def create_new_expiring_credential(self) -> None:
        self._credential = self._credential or self._internal_new_expiring_credential()

    def clear_expiring_credential(self) -> None:
        pass


@pytest.mark.parametrize(("before_logout", "message", "calls"), [
    (True, "of before after a login and a logout; exiting refresh thread", ["login", "logout"]),
    (False, "after its logout; exiting refresh thread", ["logout"]),
])
def test_a_credential_that_stays_ends_the_thread(caplog: pytest.LogCaptureFixture, before_logout: bool,
                                                 message: str, calls: list[str]) -> None:
    mock_login_context = MockLoginContext()
    login = new_login(Kept, mock_login_context, MockTime(), MINUTE_MS, before_logout)
    login.login()
    factory = login._login_context_factory
    assert isinstance(factory, TestLoginContextFactory)
    assert factory.refresher_thread_done_future.wait(WAIT_S)
    login.close()
    [error] = [record for record in caplog.records if record.levelname == "ERROR"]
    assert error.getMessage().endswith(message) and error.exc_info is not None
    assert mock_login_context.calls == ["login", "get_subject", *calls]


def test_a_relogin_without_a_credential_is_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    time = MockTime()
    start_ms = time.milliseconds()

    class SometimesNone(TestExpiringCredentialRefreshingLogin):
        logins = 0

        def create_new_expiring_credential(self) -> None:
            self.logins += 1
            if self.logins == 4:
                self._absolute_last_refresh_time_ms = 0  # no more of them
            self._credential = None if self.logins in (2, 3) else self._internal_new_expiring_credential()

        def clear_expiring_credential(self) -> None:
            pass

    login = new_login(SometimesNone, MockLoginContext(), time, 10 * MINUTE_MS)
    login.login()
    factory = login._login_context_factory
    assert isinstance(factory, TestLoginContextFactory)
    assert factory.refresher_thread_done_future.wait(WAIT_S)
    login.close()
    assert time.milliseconds() == start_ms + 8 * MINUTE_MS + 2 * 10_000
    assert caplog.text.count("No Expiring Credential after a supposedly-successful re-login") == 2


def test_the_jitter_delays_a_refresh(monkeypatch: pytest.MonkeyPatch) -> None:
    class Half:
        def random(self) -> float:
            return 0.5

    config = ExpiringCredentialRefreshConfig({
        SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_FACTOR: 0.5, SaslConfigs.SASL_LOGIN_REFRESH_WINDOW_JITTER: 0.2,
        SaslConfigs.SASL_LOGIN_REFRESH_MIN_PERIOD_SECONDS: 0,
        SaslConfigs.SASL_LOGIN_REFRESH_BUFFER_SECONDS: 0,
    }, True)
    monkeypatch.setattr(ExpiringCredentialRefreshingLogin, "_RNG", Half())
    login = TestExpiringCredentialRefreshingLogin(
        config, TestLoginContextFactory(MockLoginContext()), MockTime(), 1000, None, True)
    login._expiring_credential = TestExpiringCredential(1_000_000, 1_001_000, None)
    assert login._refresh_ms(1_000_000) == 1_000_600
    # Seen later, the start counts; without one, the moment.
    assert login._refresh_ms(1_000_200) == 1_000_600
    monkeypatch.setattr(TestExpiringCredential, "start_time_ms", lambda self: None)
    assert login._refresh_ms(1_000_200) == 1_000_680
    assert login._refresh_ms(1_001_001) == 1_011_001
