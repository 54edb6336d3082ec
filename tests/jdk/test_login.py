# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Logging in by the modules that a configuration names."""

from __future__ import annotations

from unittest.mock import Mock

import pytest

from kreactor.jdk.login import Configuration, LoginContext, LoginException


def test_a_name_that_nobody_configured() -> None:
    configuration = Mock(spec=Configuration)
    configuration.get_app_configuration_entry.return_value = None
    with pytest.raises(LoginException, match="^No LoginModules configured for Nobody$"):
        LoginContext("Nobody", None, Mock(), configuration, Mock())
