# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.JaasConfig of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Parses the login modules of a setting: a sequence of ``<class> <flag> (<option>=<value>)*;``."""

from __future__ import annotations

from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.login import AppConfigurationEntry, Configuration, LoginModuleControlFlag
from kreactor.jdk.stream_tokenizer import StreamTokenizer


class JaasConfig(Configuration):
    """The login modules of one context name. Immutable.

    :origin: common.security.JaasConfig
    """

    def __init__(self, login_context_name: str, jaas_config_params: str) -> None:
        """Parse the setting. Raises IllegalArgumentException for a malformed one.

        :origin: common.security.JaasConfig#JaasConfig(String, String)
        """
        tokenizer = StreamTokenizer(jaas_config_params)
        tokenizer.slash_slash_comments(True)
        tokenizer.slash_star_comments(True)
        tokenizer.word_chars("-_$")

        self._config_entries: list[AppConfigurationEntry] = []
        while tokenizer.next_token() != StreamTokenizer.TT_EOF:
            self._config_entries.append(self._parse_app_configuration_entry(tokenizer))
        if not self._config_entries:
            raise IllegalArgumentException("Login module not specified in JAAS config")

        self._login_context_name = login_context_name

    def get_app_configuration_entry(self, name: str) -> list[AppConfigurationEntry] | None:
        """:origin: common.security.JaasConfig#getAppConfigurationEntry(String)"""
        return list(self._config_entries) if name == self._login_context_name else None

    def _login_module_control_flag(self, flag: str | None) -> LoginModuleControlFlag:
        """:origin: common.security.JaasConfig#loginModuleControlFlag(String)"""
        if flag is None:
            raise IllegalArgumentException("Login module control flag is not available in the JAAS config")
        try:
            return LoginModuleControlFlag[flag.upper()]
        except KeyError:
            raise IllegalArgumentException(
                f"Invalid login module control flag '{flag}' in JAAS config") from None

    def _parse_app_configuration_entry(self, tokenizer: StreamTokenizer) -> AppConfigurationEntry:
        """:origin: common.security.JaasConfig#parseAppConfigurationEntry(StreamTokenizer)"""
        login_module = tokenizer.sval
        if tokenizer.next_token() == StreamTokenizer.TT_EOF:
            raise IllegalArgumentException("Login module control flag not specified in JAAS config")
        control_flag = self._login_module_control_flag(tokenizer.sval)
        options: dict[str, str] = {}
        while tokenizer.next_token() != StreamTokenizer.TT_EOF and tokenizer.ttype != ";":
            key = tokenizer.sval
            if (tokenizer.next_token() != "=" or tokenizer.next_token() == StreamTokenizer.TT_EOF
                    or tokenizer.sval is None):
                # DEVIATION D174: the origin's message shows the key, which may be part of a password.
                raise IllegalArgumentException(
                    f"Value not specified for the option after the first {len(options)} in JAAS config")
            if key is not None:
                options[key] = tokenizer.sval
        if tokenizer.ttype != ";":
            raise IllegalArgumentException("JAAS config entry not terminated by semi-colon")
        return AppConfigurationEntry(login_module, control_flag, options)
