# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.authenticator.LoginManager of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Logins that channel builders share: one login per configuration, until its last user releases it.

Locks: ``_LOCK`` guards the list of managers and the reference count of each manager.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.sasl_configs import SaslConfigs
from kreactor.common.config.types.password import Password
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.security.auth.authenticate_callback_handler import AuthenticateCallbackHandler
from kreactor.common.security.auth.login import Login
from kreactor.common.security.authenticator.abstract_login import AbstractLogin
from kreactor.common.security.jaas_context import JaasContext
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.forks import run_in_child
from kreactor.jdk.locks import ReentrantLock
from kreactor.jdk.login import Subject

log = LogContext().logger(f"{__name__}.LoginManager")

T = TypeVar("T")

_LOCK = ReentrantLock()


def _forget_in_child() -> None:
    """Make a forked child log in again. The parent's threads refresh the tokens or hold the lock."""
    global _LOCK
    _LOCK = ReentrantLock()
    LoginManager._DYNAMIC_INSTANCES.clear()


run_in_child(_forget_in_child)


class LoginManager:
    """:origin: common.security.authenticator.LoginManager"""

    # Guarded by ``_LOCK``. A list, because settings are not hashable and the managers are few.
    _DYNAMIC_INSTANCES: list[LoginManager] = []

    def __init__(self, jaas_context: JaasContext, sasl_mechanism: str, configs: Mapping[str, Any],
                 login_metadata: LoginMetadata) -> None:
        """Log in. Raises LoginException, or an exception of the classes named in the settings.

        :origin: common.security.authenticator.LoginManager#LoginManager(
            JaasContext, String, Map<String,?>, LoginMetadata<?>)
        """
        self._login_metadata = login_metadata
        self._login = Utils.new_instance(login_metadata.login_class)
        self._login_callback_handler = Utils.new_instance(login_metadata.login_callback_class)
        self._login_callback_handler.configure(configs, sasl_mechanism, jaas_context.configuration_entries())
        self._login.configure(
            configs, jaas_context.name(), jaas_context.configuration(), self._login_callback_handler)
        self._ref_count = 0
        self._login.login()

    @staticmethod
    def acquire_login_manager(jaas_context: JaasContext, sasl_mechanism: str,
                              default_login_class: type[Login], configs: Mapping[str, Any]) -> LoginManager:
        """Return a logged-in manager. The caller gives it back with ``release``. Raises as the constructor.

        :origin: common.security.authenticator.LoginManager#acquireLoginManager(
            JaasContext, String, Class<? extends Login>, Map<String,?>)
        """
        login_class = LoginManager._configured_class_or_default(
            configs, jaas_context, sasl_mechanism, SaslConfigs.SASL_LOGIN_CLASS, default_login_class)
        default_login_callback_handler_class: type[AuthenticateCallbackHandler] = (
            AbstractLogin.DefaultLoginCallbackHandler)
        if sasl_mechanism == "OAUTHBEARER":
            # Imported here because few processes need the module.
            from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_unsecured_login_callback_handler import (  # noqa: E501
                OAuthBearerUnsecuredLoginCallbackHandler,
            )

            default_login_callback_handler_class = OAuthBearerUnsecuredLoginCallbackHandler
        login_callback_class = LoginManager._configured_class_or_default(
            configs, jaas_context, sasl_mechanism, SaslConfigs.SASL_LOGIN_CALLBACK_HANDLER_CLASS,
            default_login_callback_handler_class)
        with _LOCK:
            jaas_config_value = jaas_context.dynamic_jaas_config()
            assert jaas_config_value is not None, "there are no JAAS files"
            login_metadata = LoginMetadata(jaas_config_value, login_class, login_callback_class, configs)
            for login_manager in LoginManager._DYNAMIC_INSTANCES:
                if login_manager._login_metadata == login_metadata:
                    break
            else:
                login_manager = LoginManager(jaas_context, sasl_mechanism, configs, login_metadata)
                LoginManager._DYNAMIC_INSTANCES.append(login_manager)
            return login_manager._acquire()

    def subject(self) -> Subject:
        """:origin: common.security.authenticator.LoginManager#subject()"""
        subject = self._login.subject()
        assert subject is not None, "the constructor has logged in"
        return subject

    def service_name(self) -> str:
        """:origin: common.security.authenticator.LoginManager#serviceName()"""
        service_name = self._login.service_name()
        assert service_name is not None, "the constructor has configured it"
        return service_name

    def cache_key(self) -> Password:
        """Return the JAAS setting, by which tests identify the manager.

        :origin: common.security.authenticator.LoginManager#cacheKey()
        """
        return self._login_metadata.config_info

    def _acquire(self) -> LoginManager:
        """:origin: common.security.authenticator.LoginManager#acquire()"""
        self._ref_count += 1
        log.trace("%s acquired", self)
        return self

    def release(self) -> None:
        """Release the manager; the last release closes it. Raises IllegalStateException for a closed manager.

        :origin: common.security.authenticator.LoginManager#release()
        """
        with _LOCK:
            if self._ref_count == 0:
                raise IllegalStateException(f"release() called on disposed {self}")
            elif self._ref_count == 1:
                # ``close_all``, which only tests call, has already removed the manager.
                if self in LoginManager._DYNAMIC_INSTANCES:
                    LoginManager._DYNAMIC_INSTANCES.remove(self)
                self._login.close()
                self._login_callback_handler.close()
            self._ref_count -= 1
            log.trace("%s released", self)

    def __str__(self) -> str:
        """Show neither the private nor the public credentials of the subject.

        :origin: common.security.authenticator.LoginManager#toString()
        """
        return f"LoginManager(serviceName={self.service_name()}, refCount={self._ref_count})"

    @staticmethod
    def close_all() -> None:
        """Close all managers. Only tests call this.

        :origin: common.security.authenticator.LoginManager#closeAll()
        """
        with _LOCK:
            while LoginManager._DYNAMIC_INSTANCES:
                LoginManager._DYNAMIC_INSTANCES.pop()._login.close()

    @staticmethod
    def _configured_class_or_default(configs: Mapping[str, Any], jaas_context: JaasContext,
                                     sasl_mechanism: str, config_name: str,
                                     default_class: type[T]) -> type[T]:
        """Return the class that the settings name, or the default. Raises ConfigException.

        :origin: common.security.authenticator.LoginManager#configuredClassOrDefault(
            Map<String,?>, JaasContext, String, String, Class<? extends T>)
        """
        prefix = (ListenerName.sasl_mechanism_prefix(sasl_mechanism)
                  if jaas_context.type() is JaasContext.Type.SERVER else "")
        clazz: type[T] | None = configs.get(prefix + config_name)
        if clazz is not None and len(jaas_context.configuration_entries()) != 1:
            raise ConfigException(
                f"{config_name} cannot be specified with multiple login modules in the JAAS context. "
                f"{SaslConfigs.SASL_JAAS_CONFIG} must be configured to override mechanism-specific configs.")
        return default_class if clazz is None else clazz


class LoginMetadata:
    """The key by which logins are shared. It has no ``__str__`` of its fields, because one is a password.

    :origin: common.security.authenticator.LoginManager.LoginMetadata
    """

    __slots__ = ("config_info", "login_class", "login_callback_class", "sasl_configs")

    def __init__(self, config_info: Password, login_class: type[Login],
                 login_callback_class: type[AuthenticateCallbackHandler], configs: Mapping[str, Any]) -> None:
        """:origin: common.security.authenticator.LoginManager.LoginMetadata#LoginMetadata(
            T, Class<? extends Login>, Class<? extends AuthenticateCallbackHandler>, Map<String,?>)
        """
        self.config_info = config_info
        self.login_class = login_class
        self.login_callback_class = login_callback_class
        self.sasl_configs = {name: value for name, value in configs.items() if name.startswith("sasl.")}

    def __hash__(self) -> int:
        """:origin: common.security.authenticator.LoginManager.LoginMetadata#hashCode()"""
        return hash(self.config_info)

    def __eq__(self, other: object) -> bool:
        """:origin: common.security.authenticator.LoginManager.LoginMetadata#equals(Object)"""
        return isinstance(other, LoginMetadata) and (
            self.config_info == other.config_info and self.login_class is other.login_class
            and self.login_callback_class is other.login_callback_class
            and self.sasl_configs == other.sasl_configs)
