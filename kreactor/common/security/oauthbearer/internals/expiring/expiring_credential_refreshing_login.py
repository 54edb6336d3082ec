# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of ExpiringCredentialRefreshingLogin, of the package
# org.apache.kafka.common.security.oauthbearer.internals.expiring of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A login whose own thread replaces the credential before the credential expires.

Threads: the owner calls ``login`` and ``close``, one after the other. ``login`` writes the credential's
fields. After ``login``, only the refresher thread writes them, until ``close`` has joined this thread. Any
thread calls ``subject``: the subject stays the same object, and its credentials change.

A re-login holds the lock of the class given to the constructor, so logins of one class refresh one at a time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import datetime, timezone

from kreactor.common.security.auth.authenticate_callback_handler import AuthenticateCallbackHandler
from kreactor.common.security.oauthbearer.internals.expiring.expiring_credential import ExpiringCredential
from kreactor.common.security.oauthbearer.internals.expiring.expiring_credential_refresh_config import (
    ExpiringCredentialRefreshConfig,
)
from kreactor.common.utils.kafka_thread import KafkaThread
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.forks import run_in_child
from kreactor.jdk.locks import ReentrantLock
from kreactor.jdk.login import Configuration, LoginContext, LoginModule, Subject
from kreactor.jdk.random_numbers import RANDOM
from kreactor.jdk.text import class_name
from kreactor.jdk.threads import Thread

log = LogContext().logger(f"{__name__}.ExpiringCredentialRefreshingLogin")

# One lock for each class given to a constructor. In Java, each class has its own monitor.
_MONITORS: dict[type, ReentrantLock] = {}

# A forked child drops these locks, because threads that exist only in the parent may hold them.
run_in_child(_MONITORS.clear)


class ExpiringCredentialRefreshingLogin(ABC):
    """Base of refreshing logins. A subclass finds the credential in the subject.

    :origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshingLogin
    """

    class LoginContextFactory:
        """Creates login contexts. Tests use their own factory.

        :origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshingLogin.LoginContextFactory
        """  # noqa: E501

        def create_login_context(
            self, expiring_credential_refreshing_login: ExpiringCredentialRefreshingLogin,
        ) -> LoginContext:
            """Return a login context. Raises LoginException.

            :origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshingLogin.LoginContextFactory#createLoginContext(
                ExpiringCredentialRefreshingLogin)
            """  # noqa: E501
            return LoginContext(
                expiring_credential_refreshing_login.context_name(),
                expiring_credential_refreshing_login.subject(),
                expiring_credential_refreshing_login.callback_handler(),
                expiring_credential_refreshing_login.configuration(),
                lambda name: Utils.load_class(name, LoginModule))

        def refresher_thread_started(self) -> None:
            """:origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshingLogin.LoginContextFactory#refresherThreadStarted(
                )
            """  # noqa: E501

        def refresher_thread_done(self) -> None:
            """:origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshingLogin.LoginContextFactory#refresherThreadDone(
                )
            """  # noqa: E501

    class ExitRefresherThreadDueToIllegalStateException(Exception):
        """:origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshingLogin.ExitRefresherThreadDueToIllegalStateException
        :origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshingLogin.ExitRefresherThreadDueToIllegalStateException#ExitRefresherThreadDueToIllegalStateException(
            String)
        """  # noqa: E501

    class Refresher:
        """The loop of the refresher thread.

        :origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshingLogin.Refresher
        """

        def __init__(self, login: ExpiringCredentialRefreshingLogin) -> None:
            self._login = login

        def run(self) -> None:
            """Wait and log in, in a loop. Returns when the login is closed or cannot be refreshed.

            :origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshingLogin.Refresher#run(
                )
            """  # noqa: E501
            login = self._login
            log.info("[Principal=%s]: Expiring credential re-login thread started.",
                     login._principal_log_text())
            while True:
                # Each round of the loop handles one credential.
                now_ms = login._current_ms()
                next_refresh_ms = login._refresh_ms(now_ms)
                if next_refresh_ms is None:
                    login._login_context_factory.refresher_thread_done()
                    return
                # No known credential leads here (KAFKA-7945).
                if next_refresh_ms < now_ms:
                    log.warn("[Principal=%s]: The re-login time %s is past: next re-login in 10 s",
                             login._principal_log_text(), _date(next_refresh_ms))
                    next_refresh_ms = now_ms + 10 * 1000
                log.info("[Principal=%s]: Expiring credential re-login sleeping until: %s",
                         login._principal_log_text(), _date(next_refresh_ms))
                login._time.sleep(next_refresh_ms - now_ms)
                if Thread.current_is_interrupted():
                    log.info("[Principal=%s]: Expiring credential re-login thread has been interrupted and "
                             "will exit.", login._principal_log_text())
                    login._login_context_factory.refresher_thread_done()
                    return
                while True:
                    # Repeat until a login succeeds, with a delay after each failure.
                    try:
                        login._re_login()
                        break
                    except ExitRefresherThreadDueToIllegalStateException as e:
                        log.error("%s", e, exc=e)
                        login._login_context_factory.refresher_thread_done()
                        return
                    # DEVIATION D493: the origin retries after a LoginException, and ends after any other.
                    except BaseException as login_exception:
                        log.warn("[Principal=%s]: LoginException during login retry; will sleep %d seconds "
                                 "before trying again.", login._principal_log_text(),
                                 login._DELAY_SECONDS_BEFORE_NEXT_RETRY_WHEN_RELOGIN_FAILS,
                                 exc=login_exception)
                        login._time.sleep(login._DELAY_SECONDS_BEFORE_NEXT_RETRY_WHEN_RELOGIN_FAILS * 1000)
                        if Thread.current_is_interrupted():
                            log.error("[Principal=%s]: Interrupted after a re-login that failed, re-login "
                                      "thread exiting now: %s", login._principal_log_text(), login_exception)
                            login._login_context_factory.refresher_thread_done()
                            return

    _DELAY_SECONDS_BEFORE_NEXT_RETRY_WHEN_RELOGIN_FAILS = 10
    _RNG = RANDOM

    def __init__(self, context_name: str, configuration: Configuration,
                 expiring_credential_refresh_config: ExpiringCredentialRefreshConfig,
                 callback_handler: AuthenticateCallbackHandler,
                 mandatory_class_to_synchronize_on_prior_to_refresh: type,
                 login_context_factory: LoginContextFactory | None = None, time: Time = Time.SYSTEM) -> None:
        """:origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshingLogin#ExpiringCredentialRefreshingLogin(
            String, Configuration, ExpiringCredentialRefreshConfig, AuthenticateCallbackHandler, Class<?>)
        :origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshingLogin#ExpiringCredentialRefreshingLogin(
            String, Configuration, ExpiringCredentialRefreshConfig, AuthenticateCallbackHandler, Class<?>, LoginContextFactory, Time)
        """  # noqa: E501
        self._context_name = context_name
        self._configuration = configuration
        self._expiring_credential_refresh_config = expiring_credential_refresh_config
        self._callback_handler = callback_handler
        self._mandatory_class_to_synchronize_on_prior_to_refresh = (
            mandatory_class_to_synchronize_on_prior_to_refresh)
        self._login_context_factory = (
            LoginContextFactory() if login_context_factory is None else login_context_factory)
        self._time = time
        self._refresher_thread: KafkaThread | None = None
        self._subject: Subject | None = None
        self._has_expiring_credential = False
        self._principal_name: str | None = None
        self._login_context: LoginContext | None = None
        self._expiring_credential: ExpiringCredential | None = None

    def subject(self) -> Subject | None:
        """Return the subject, or None before ``login``. Called by any thread.

        :origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshingLogin#subject()
        """
        return self._subject

    def context_name(self) -> str:
        """:origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshingLogin#contextName(
            )
        """  # noqa: E501
        return self._context_name

    def configuration(self) -> Configuration:
        """:origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshingLogin#configuration(
            )
        """  # noqa: E501
        return self._configuration

    def callback_handler(self) -> AuthenticateCallbackHandler:
        """:origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshingLogin#callbackHandler(
            )
        """  # noqa: E501
        return self._callback_handler

    def service_name(self) -> str:
        """:origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshingLogin#serviceName(
            )
        """  # noqa: E501
        return "kafka"

    def login(self) -> LoginContext:
        """Log in, and start the thread for an expiring credential. Raises LoginException.

        :origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshingLogin#login()
        """
        tmp_login_context = self._login_context_factory.create_login_context(self)
        tmp_login_context.login()
        log.info("Successfully logged in.")
        self._login_context = tmp_login_context
        self._subject = self._login_context.get_subject()
        self._expiring_credential = self.expiring_credential()
        self._has_expiring_credential = self._expiring_credential is not None
        if self._expiring_credential is None:
            # Without an expiring credential no second login is needed.
            log.debug("No Expiring Credential")
            self._principal_name = None
            self._refresher_thread = None
            return self._login_context

        self._principal_name = self._expiring_credential.principal_name()

        expire_time_ms = self._expiring_credential.expire_time_ms()
        now_ms = self._current_ms()
        if now_ms > expire_time_ms:
            # This host's clock or the issuer's clock is wrong.
            log.error("[Principal=%s]: The credential expired at %s, and the clock of this host says %s: "
                      "compare it with the clock of the host that issues credentials. No re-login thread "
                      "starts, and brokers will refuse this process.", self._principal_log_text(),
                      _date(expire_time_ms), _date(now_ms))
            return self._login_context

        log.debug("[Principal=%s]: It is an expiring credential", self._principal_log_text())

        self._refresher_thread = KafkaThread.daemon_thread(
            f"kafka-expiring-relogin-thread-{self._principal_name}", self.Refresher(self).run)
        self._refresher_thread.start()
        self._login_context_factory.refresher_thread_started()
        return self._login_context

    def close(self) -> None:
        """Stop the thread and join it. A running re-login completes first.

        :origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshingLogin#close()
        """
        if self._refresher_thread is not None and self._refresher_thread.is_alive():
            self._refresher_thread.interrupt()
            self._refresher_thread.join()

    @abstractmethod
    def expiring_credential(self) -> ExpiringCredential | None:
        """Return the subject's current credential, or None.

        :origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshingLogin#expiringCredential(
            )
        """  # noqa: E501

    def _refresh_ms(self, relative_to_ms: int) -> int | None:
        """Return the time of the next login, computed at ``relative_to_ms``; None for no further login.

        :origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshingLogin#refreshMs(
            long)
        """  # noqa: E501
        if self._expiring_credential is None:
            # The last login succeeded without a credential. A later login may get one.
            retval_next_refresh_ms = (
                relative_to_ms + self._DELAY_SECONDS_BEFORE_NEXT_RETRY_WHEN_RELOGIN_FAILS * 1000)
            log.warn("[Principal=%s]: No Expiring credential found: will try again at %s",
                     self._principal_log_text(), _date(retval_next_refresh_ms))
            return retval_next_refresh_ms
        expire_time_ms = self._expiring_credential.expire_time_ms()
        if relative_to_ms > expire_time_ms:
            logout_required_before_logging_back_in = self._is_logout_required_before_logging_back_in()
            if logout_required_before_logging_back_in:
                log.error("[Principal=%s]: The credential expired at %s, and the clock of this host says %s: "
                          "compare it with the clock of the host that issues credentials. The re-login "
                          "thread exits.", self._principal_log_text(), _date(expire_time_ms),
                          _date(relative_to_ms))
                return None
            else:
                # The old credential stays until a login succeeds. It has expired, because every login failed
                # so far. A later login may succeed.
                retval_next_refresh_ms = (
                    relative_to_ms + self._DELAY_SECONDS_BEFORE_NEXT_RETRY_WHEN_RELOGIN_FAILS * 1000)
                log.warn("[Principal=%s]: The credential expired at %s: next re-login at %s",
                         self._principal_log_text(), _date(expire_time_ms), _date(retval_next_refresh_ms))
                return retval_next_refresh_ms
        absolute_last_refresh_time_ms = self._expiring_credential.absolute_last_refresh_time_ms()
        if absolute_last_refresh_time_ms is not None and absolute_last_refresh_time_ms < expire_time_ms:
            log.warn("[Principal=%s]: The credential expires at %s, which is after the last possible "
                     "re-login at %s. The re-login thread exits, and brokers will refuse this process from "
                     "then on.",
                     self._principal_log_text(), _date(expire_time_ms), _date(absolute_last_refresh_time_ms))
            return None
        optional_start_time = self._expiring_credential.start_time_ms()
        start_ms = optional_start_time if optional_start_time is not None else relative_to_ms
        log.info("[Principal=%s]: Expiring credential valid from %s to %s",
                 self._expiring_credential.principal_name(), _date(start_ms), _date(expire_time_ms))

        pct = (self._expiring_credential_refresh_config.login_refresh_window_factor()
               + self._expiring_credential_refresh_config.login_refresh_window_jitter() * self._RNG.random())
        # The remaining lifetime is shorter than the two buffers together, so no buffer applies.
        refresh_min_period_seconds = (
            self._expiring_credential_refresh_config.login_refresh_min_period_seconds())
        client_refresh_buffer_seconds = (
            self._expiring_credential_refresh_config.login_refresh_buffer_seconds())
        both_seconds = refresh_min_period_seconds + client_refresh_buffer_seconds
        if relative_to_ms + 1000 * both_seconds > expire_time_ms:
            retval_refresh_ms = relative_to_ms + int((expire_time_ms - relative_to_ms) * pct)
            log.warn("[Principal=%s]: The credential expires at %s, too soon for %d seconds before a "
                     "re-login and %d after it: next re-login at %s", self._principal_log_text(),
                     _date(expire_time_ms), refresh_min_period_seconds, client_refresh_buffer_seconds,
                     _date(retval_refresh_ms))
            return retval_refresh_ms
        proposed_refresh_ms = start_ms + int((expire_time_ms - start_ms) * pct)
        # The buffer before the expiry takes precedence.
        beginning_of_end_buffer_time_ms = expire_time_ms - client_refresh_buffer_seconds * 1000
        if proposed_refresh_ms > beginning_of_end_buffer_time_ms:
            log.info("[Principal=%s]: A re-login at %s leaves less than %d seconds: next re-login at %s",
                     self._expiring_credential.principal_name(), _date(proposed_refresh_ms),
                     client_refresh_buffer_seconds, _date(beginning_of_end_buffer_time_ms))
            return beginning_of_end_buffer_time_ms
        # The minimum period between two logins comes second.
        end_of_min_refresh_buffer_time = relative_to_ms + 1000 * refresh_min_period_seconds
        if proposed_refresh_ms < end_of_min_refresh_buffer_time:
            log.info("[Principal=%s]: A re-login at %s is less than %d seconds away: next re-login at %s",
                     self._principal_log_text(), _date(proposed_refresh_ms), refresh_min_period_seconds,
                     _date(end_of_min_refresh_buffer_time))
            return end_of_min_refresh_buffer_time
        return proposed_refresh_ms

    def _re_login(self) -> None:
        """Log in again.

        Raises LoginException, and the old login stays as it was, or
        ExitRefresherThreadDueToIllegalStateException.

        :origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshingLogin#reLogin()
        """
        with _MONITORS.setdefault(
                self._mandatory_class_to_synchronize_on_prior_to_refresh, ReentrantLock()):
            logout_required_before_logging_back_in = self._is_logout_required_before_logging_back_in()
            if self._has_expiring_credential and logout_required_before_logging_back_in:
                principal_log_text_prior_to_logout = self._principal_log_text()
                log.info("Initiating logout for %s", principal_log_text_prior_to_logout)
                self._logged_in().logout()
                # The logout must have removed the credential.
                self._expiring_credential = self.expiring_credential()
                self._has_expiring_credential = self._expiring_credential is not None
                if self._has_expiring_credential:
                    # The thread ends, because only the login module's logout can remove the credential.
                    raise ExitRefresherThreadDueToIllegalStateException(
                        f"The subject has a {class_name(type(self._expiring_credential))} after its logout; "
                        "exiting refresh thread")
            # The old login context logs out after the new one has succeeded.
            optional_credential_to_logout = self._expiring_credential
            optional_login_context_to_logout = self._login_context
            clean_login = False
            try:
                self._login_context = self._login_context_factory.create_login_context(self)
                log.info("Initiating re-login for %s, with a logout afterwards: %s", self._principal_name,
                         optional_credential_to_logout is not None)
                self._login_context.login()
                clean_login = True
                if optional_credential_to_logout is not None and optional_login_context_to_logout is not None:
                    optional_login_context_to_logout.logout()
            finally:
                if not clean_login:
                    self._login_context = optional_login_context_to_logout
            # The subject has a new credential, or none.
            self._expiring_credential = self.expiring_credential()
            self._has_expiring_credential = self._expiring_credential is not None
            if self._expiring_credential is None:
                # The login module or its handler has a fault. The thread continues, because the next login
                # may get a credential.
                log.error("No Expiring Credential after a supposedly-successful re-login")
                self._principal_name = None
            else:
                if self._expiring_credential is optional_credential_to_logout:
                    # The old credential would expire, and the next login could not remove it.
                    raise ExitRefresherThreadDueToIllegalStateException(
                        f"The subject has the {class_name(type(self._expiring_credential))} of before after "
                        "a login and a logout; exiting refresh thread")
                self._principal_name = self._expiring_credential.principal_name()
                log.debug("[Principal=%s]: It is an expiring credential after re-login as expected",
                          self._principal_log_text())

    def _logged_in(self) -> LoginContext:
        if self._login_context is None:
            raise IllegalStateException("login() was not called")
        return self._login_context

    def _principal_log_text(self) -> str | None:
        """:origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshingLogin#principalLogText(
            )
        """  # noqa: E501
        return (self._principal_name if self._expiring_credential is None
                else f"{type(self._expiring_credential).__name__}:{self._principal_name}")

    def _current_ms(self) -> int:
        """:origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshingLogin#currentMs(
            )
        """  # noqa: E501
        return self._time.milliseconds()

    def _is_logout_required_before_logging_back_in(self) -> bool:
        """:origin: common.security.oauthbearer.internals.expiring.ExpiringCredentialRefreshingLogin#isLogoutRequiredBeforeLoggingBackIn(
            )
        """  # noqa: E501
        return not self._expiring_credential_refresh_config.login_refresh_relogin_allowed_before_logout()


LoginContextFactory = ExpiringCredentialRefreshingLogin.LoginContextFactory
ExitRefresherThreadDueToIllegalStateException = (
    ExpiringCredentialRefreshingLogin.ExitRefresherThreadDueToIllegalStateException)


def _date(ms: int) -> str:
    """Return a time as text for a log. A time outside Python's calendar stays a number."""
    try:
        return datetime.fromtimestamp(ms / 1000, timezone.utc).isoformat(timespec="milliseconds")
    except (OverflowError, ValueError, OSError):
        return f"{ms} ms"
