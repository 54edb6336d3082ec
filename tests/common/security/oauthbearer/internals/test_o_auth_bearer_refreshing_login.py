# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The login of a client of OAUTHBEARER, and how its builder of channels gets and gives it."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.types.password import Password
from kreactor.common.security.auth.authenticate_callback_handler import AuthenticateCallbackHandler
from kreactor.common.security.authenticator.login_manager import LoginManager
from kreactor.common.security.jaas_context import JaasContext
from kreactor.common.security.oauthbearer.internals.expiring import (
    expiring_credential_refreshing_login as refreshing_logins,
)
from kreactor.common.security.oauthbearer.internals.o_auth_bearer_refreshing_login import (
    OAuthBearerRefreshingLogin,
)
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_unsecured_jws import (
    OAuthBearerUnsecuredJws,
)
from kreactor.common.security.oauthbearer.o_auth_bearer_token import OAuthBearerToken
from kreactor.common.security.oauthbearer.o_auth_bearer_token_callback import OAuthBearerTokenCallback
from kreactor.common.utils.time import Time
from kreactor.jdk.login import AppConfigurationEntry, LoginException
from kreactor.jdk.sasl import Callback, UnsupportedCallbackException
from tests.common.security.authenticator.sasl_ends import jaas
from tests.common.security.oauthbearer.o_auth_bearer_token_mock import OAuthBearerTokenMock

WAIT_S = 60


class Tokens(AuthenticateCallbackHandler):
    """The first two tokens are to be replaced at once, the third one in an hour or so."""

    asked = 0
    third = threading.Event()

    def configure(self, configs: Mapping[str, Any], sasl_mechanism: str,
                  jaas_config_entries: Sequence[AppConfigurationEntry]) -> None:
        type(self).asked = 0
        self.third.clear()

    def handle(self, callbacks: Sequence[Callback]) -> None:
        for callback in callbacks:
            if not isinstance(callback, OAuthBearerTokenCallback):
                raise UnsupportedCallbackException(callback)
            type(self).asked += 1
            now_ms = Time.SYSTEM.milliseconds()
            hours = 3_600_000
            callback.set_token(OAuthBearerTokenMock(
                f"token {self.asked}", "alice", now_ms + hours,
                now_ms - 100 * hours if self.asked < 3 else now_ms))
            if self.asked == 3:
                self.third.set()

    def close(self) -> None:
        pass


def acquire(options: dict[str, str], **configs: object) -> LoginManager:
    settings = {"sasl.jaas.config": Password(jaas("OAUTHBEARER", **options)),
                "sasl.login.refresh.min.period.seconds": 0,
                **{name.replace("_", "."): value for name, value in configs.items()}}
    context = JaasContext.load_client_context(settings)
    return LoginManager.acquire_login_manager(
        context, "OAUTHBEARER", OAuthBearerRefreshingLogin,
        ConfigDef().with_client_sasl_support().parse(settings))


def refreshers() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("kafka-expiring")]


def tokens(manager: LoginManager) -> list[OAuthBearerToken]:
    return manager.subject().get_private_credentials_of(OAuthBearerToken)  # type: ignore[type-abstract]


def test_the_subject_gets_one_token_after_another() -> None:
    manager = acquire({}, sasl_login_callback_handler_class=Tokens)
    try:
        subject = manager.subject()
        assert Tokens.third.wait(WAIT_S)
        assert refreshers() == ["kafka-expiring-relogin-thread-alice"]
    finally:
        manager.release()
    # The thread has ended its re-login, and left the last token alone.
    assert not refreshers()
    assert [token.value() for token in tokens(manager)] == ["token 3"]
    assert manager.subject() is subject and manager.service_name() == "kafka"


def test_users_of_one_configuration_share_a_thread() -> None:
    options = {"unsecuredLoginStringClaim_sub": "bob"}
    first, second = acquire(options), acquire(options)
    assert first is second and len(refreshers()) == 1
    [token] = tokens(first)
    assert isinstance(token, OAuthBearerUnsecuredJws) and token.principal_name() == "bob"
    first.release()
    assert len(refreshers()) == 1
    second.release()
    assert not refreshers()


def test_a_login_without_a_token_has_no_thread() -> None:
    manager = acquire({})
    assert not tokens(manager) and not refreshers()
    manager.release()


def test_a_login_that_is_not_configured() -> None:
    login = OAuthBearerRefreshingLogin()
    assert login.subject() is None and login.service_name() is None
    with pytest.raises(LoginException, match="^Login was not configured properly$"):
        login.login()
    login.close()


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_logs_in_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    # A thread of the child may have the ident of one of the parent, and would own its reentrant lock.
    monkeypatch.setitem(refreshing_logins._MONITORS, OAuthBearerRefreshingLogin, threading.Lock())
    manager = acquire({}, sasl_login_callback_handler_class=Tokens)
    assert Tokens.third.wait(WAIT_S)
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        # A re-login that is under way during the fork, as far as the child can tell.
        with refreshing_logins._MONITORS[OAuthBearerRefreshingLogin]:
            held.set()
            done.wait(WAIT_S)

    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(WAIT_S)
    pid = os.fork()
    if pid == 0:
        status = 2
        try:
            signal.alarm(WAIT_S)
            own = acquire({}, sasl_login_callback_handler_class=Tokens)
            good = own is not manager and Tokens.third.wait(WAIT_S) and len(refreshers()) == 1
            own.release()
            manager.release()
            status = 0 if good and not refreshers() else 1
        finally:
            os._exit(status)
    try:
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        assert len(refreshers()) == 1
    finally:
        done.set()
        holder.join()
        manager.release()
    assert not refreshers()
