# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Logging in by the modules that a configuration names."""

from __future__ import annotations

from collections.abc import Callable
from unittest.mock import Mock

import pytest

from kreactor.jdk.login import (
    AppConfigurationEntry,
    Configuration,
    LoginContext,
    LoginException,
    LoginModule,
    LoginModuleControlFlag,
)


def test_a_name_that_nobody_configured() -> None:
    configuration = Mock(spec=Configuration)
    configuration.get_app_configuration_entry.return_value = None
    with pytest.raises(LoginException, match="^No LoginModules configured for Nobody$"):
        LoginContext("Nobody", None, Mock(), configuration, Mock())


@pytest.mark.parametrize("failing, failure, calls, told", [
    (None, None, ["a.login", "b.login", "a.commit", "b.commit", "a.logout", "b.logout"], None),
    ("b.login", LoginException("refused"), ["a.login", "b.login", "a.abort", "b.abort"], "refused"),
    ("a.commit", ValueError("broken"), ["a.login", "b.login", "a.commit", "a.abort", "b.abort"],
     "ValueError: broken"),
])
def test_modules_log_in_and_then_commit_or_all_abort(
        failing: str | None, failure: Exception | None, calls: list[str], told: str | None) -> None:
    made: list[str] = []

    def module_class(name: str) -> type[LoginModule]:
        def noting(call: str) -> Callable[[LoginModule], bool]:
            def note(module: LoginModule) -> bool:
                made.append(f"{name}.{call}")
                if failure is not None and made[-1] == failing:
                    raise failure
                return True
            return note

        return type(name, (LoginModule,), {
            call: noting(call) for call in ("login", "commit", "abort", "logout")})

    configuration = Mock(spec=Configuration)
    configuration.get_app_configuration_entry.return_value = [
        AppConfigurationEntry(name, LoginModuleControlFlag.REQUIRED, {}) for name in ("a", "b")]
    context = LoginContext("Both", None, Mock(), configuration, module_class)
    if told is None:
        context.login()
        context.logout()
    else:
        with pytest.raises(LoginException) as e:
            context.login()
        assert str(e.value) == told
    assert made == calls
