# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.authenticator.LoginManagerTest
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
from __future__ import annotations

import pytest

from kreactor.common.config.types.password import Password
from kreactor.common.security.auth.login import Login
from kreactor.common.security.authenticator.default_login import DefaultLogin
from kreactor.common.security.authenticator.login_manager import LoginManager
from kreactor.common.security.jaas_context import JaasContext
from kreactor.jdk.exceptions import IllegalStateException
from tests.common.security.authenticator.sasl_ends import jaas

CONFIG = Password(jaas("PLAIN", username="user1", password="user1-sEcret"))
OTHER = Password(jaas("PLAIN", username="user2", password="user2-sEcret"))


def context(config: Password) -> JaasContext:
    return JaasContext.load_client_context({"sasl.jaas.config": config})


def acquire(config: Password, login: type[Login] = DefaultLogin, **configs: object) -> LoginManager:
    return LoginManager.acquire_login_manager(
        context(config), "PLAIN", login, {name.replace("_", "."): value for name, value in configs.items()})


def test_client_login_manager() -> None:
    manager = acquire(CONFIG)
    assert manager.cache_key() == CONFIG
    assert manager.subject().get_public_credentials() == ["user1"]
    assert manager.service_name() == "kafka"
    again, other = acquire(CONFIG), acquire(OTHER)
    assert again is manager and other is not manager
    assert other.subject().get_private_credentials() == ["user2-sEcret"]
    assert "sEcret" not in f"{manager}{manager!r}" and "refCount=2" in str(manager)

    manager.release()
    manager.release()
    other.release()
    with pytest.raises(IllegalStateException, match="on disposed"):
        manager.release()
    assert not LoginManager._DYNAMIC_INSTANCES


def test_login_manager_with_different_configs() -> None:
    class OtherLogin(DefaultLogin):
        pass

    first = acquire(CONFIG, sasl_login_read_timeout_ms=1)
    second = acquire(CONFIG, sasl_login_read_timeout_ms=2)
    third = acquire(CONFIG, sasl_login_read_timeout_ms=2, client_id="x")
    fourth = acquire(CONFIG, OtherLogin, sasl_login_read_timeout_ms=1)
    fifth = acquire(CONFIG, sasl_login_class=OtherLogin)
    assert second is third
    assert len({id(each) for each in (first, second, fourth, fifth)}) == 4
    for manager in (first, second, third, fourth, fifth):
        manager.release()
    assert not LoginManager._DYNAMIC_INSTANCES


def test_close_all() -> None:
    manager = acquire(CONFIG)
    LoginManager.close_all()
    assert not LoginManager._DYNAMIC_INSTANCES
    manager.release()
