# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.tools.StorageTool of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The initial SCRAM users of a data folder, in the syntax of ``kafka-storage format --add-scram``."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from kreactor.common.kafka_exception import KafkaException
from kreactor.common.security.scram.internals.scram_formatter import ScramFormatter
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.security.scram.scram_credential import ScramCredential

_DEFAULT_ITERATIONS = "4096"
_KEYS = ("name", "password", "saltedpassword", "salt", "iterations")


class TerseFailure(KafkaException):
    """An error for the user, in one line without passwords."""


@dataclass(frozen=True, slots=True)
class UserScramCredentialRecord:
    """A user to be stored. Its text does not contain the credential."""

    name: str
    mechanism: ScramMechanism
    credential: ScramCredential = field(repr=False)


def get_user_scram_credential_record(mechanism: str, config: str) -> UserScramCredentialRecord:
    """Return the user of ``[name=...,password=...]``. Raises TerseFailure.

    :origin: kafka.tools.StorageTool#getUserScramCredentialRecord
    """
    scram_mechanism = ScramMechanism.for_mechanism_name(mechanism)
    if scram_mechanism is None:
        raise TerseFailure("The add-scram mechanism is not supported: SCRAM-SHA-256 and SCRAM-SHA-512 are")
    pairs = [pair.partition("=") for pair in config[1:-1].split(",")]
    if config[:1] + config[-1:] != "[]" or any(name not in _KEYS or not equals for name, equals, _ in pairs):
        # DEVIATION D188: the origin accepts any further text, or fails with a Scala error. The text is not
        # shown, because it may be the second half of a password with a comma.
        raise TerseFailure(f"add-scram takes {mechanism}=[key=value,...] with the keys {', '.join(_KEYS)}; "
                           "no value has a comma")
    arg_map = {name: value.replace('"', "") for name, _, value in pairs}
    formatter = ScramFormatter(scram_mechanism)

    def decoded(name: str) -> bytes:
        try:
            return base64.b64decode(arg_map[name], validate=True)
        except (binascii.Error, ValueError):
            raise TerseFailure(f"The '{name}' value is not Base64 for add-scram") from None

    def get_iterations() -> int:
        # DEVIATION D188: the origin ignores iterations without a salt.
        text = arg_map.get("iterations", _DEFAULT_ITERATIONS)
        iterations = int(text) if re.fullmatch("[0-9]{1,9}", text) else -1
        if iterations < scram_mechanism.min_iterations():
            raise TerseFailure(
                f"The 'iterations' value must be >= {scram_mechanism.min_iterations()} for add-scram")
        if iterations > scram_mechanism.max_iterations():
            raise TerseFailure(
                f"The 'iterations' value must be <= {scram_mechanism.max_iterations()} for add-scram")
        return iterations

    def get_salted_password(salt: bytes, iterations: int) -> bytes:
        if "password" in arg_map:
            if "saltedpassword" in arg_map:
                raise TerseFailure(
                    "You must only supply one of 'password' or 'saltedpassword' to add-scram")
            if not arg_map["password"]:
                raise TerseFailure("The 'password' value must not be empty for add-scram")
            return formatter.salted_password(arg_map["password"], salt, iterations)
        if "saltedpassword" not in arg_map:
            raise TerseFailure("You must supply one of 'password' or 'saltedpassword' to add-scram")
        if "salt" not in arg_map:
            raise TerseFailure("You must supply 'salt' with 'saltedpassword' to add-scram")
        return decoded("saltedpassword")

    if not arg_map.get("name"):
        raise TerseFailure("You must supply 'name' to add-scram")
    salt = decoded("salt") if "salt" in arg_map else formatter.secure_random_bytes()
    iterations = get_iterations()
    return UserScramCredentialRecord(
        arg_map["name"], scram_mechanism,
        formatter.generate_credential_salted(salt, get_salted_password(salt, iterations), iterations))


def get_user_scram_credential_records(add_scram: Iterable[str]) -> list[UserScramCredentialRecord]:
    """Return the users of texts like ``SCRAM-SHA-256=[name=alice,password=alice-secret]``. Raises
    TerseFailure.

    :origin: kafka.tools.StorageTool#getUserScramCredentialRecords
    """
    records = []
    for single in add_scram:
        mechanism, _, config = single.strip().partition("=")
        records.append(get_user_scram_credential_record(mechanism, config))
    return records
