# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The users of a test broker, as broker settings and as SCRAM credentials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kreactor.common.security.scram.internals.scram_formatter import ScramFormatter
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.security.scram.scram_credential import ScramCredential
from kreactor.metadata.node_storage import ScramCredentialKey

_PACKAGE = "org.apache.kafka.common.security"


def sasl_properties(mechanisms: Sequence[str], users: Mapping[str, str]) -> dict[str, str]:
    """Return the broker settings for these users, a mapping of names to passwords.

    Raises ValueError for an unknown mechanism.
    """
    properties = {"sasl.enabled.mechanisms": ",".join(mechanisms),
                  "sasl.mechanism.inter.broker.protocol": mechanisms[0]}
    for listener in ("sasl_plaintext", "sasl_ssl"):
        for mechanism in mechanisms:
            name = f"listener.name.{listener}.{mechanism.lower()}.sasl.jaas.config"
            properties[name] = _jaas_config(mechanism, users)
    return properties


def _jaas_config(mechanism: str, users: Mapping[str, str]) -> str:
    if mechanism == "PLAIN":
        options = "".join(
            f" {quoted(f'user_{user}')}={quoted(password)}" for user, password in users.items())
        return f"{_PACKAGE}.plain.PlainLoginModule required{options};"
    if ScramMechanism.is_scram(mechanism):
        return f"{_PACKAGE}.scram.ScramLoginModule required;"
    if mechanism == "OAUTHBEARER":
        return f"{_PACKAGE}.oauthbearer.OAuthBearerLoginModule required;"
    names = ', '.join(ScramMechanism.mechanism_names())
    raise ValueError(f"sasl={mechanism!r}: the mechanisms are PLAIN, {names} and "
                     "OAUTHBEARER")


def quoted(text: str) -> str:
    """Return text as a quoted value in a JAAS configuration."""
    for char, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r")):
        text = text.replace(char, escaped)
    return f'"{text}"'


def scram_users(mechanisms: Sequence[str],
                users: Mapping[str, str]) -> dict[ScramCredentialKey, ScramCredential]:
    """Return the stored credentials of the users, for each SCRAM mechanism."""
    return {
        (mechanism, user): ScramFormatter(mechanism).generate_credential(
            password, mechanism.min_iterations())
        for mechanism in map(ScramMechanism.for_mechanism_name, mechanisms) if mechanism is not None
        for user, password in users.items()}
