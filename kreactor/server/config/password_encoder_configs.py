# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.security.PasswordEncoderConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of the encryption of passwords that Kafka stores with dynamic settings."""

from __future__ import annotations

OMITTED = {
    "security.PasswordEncoderConfigs#*_DOC": "texts of Kafka's documentation are not ported",
}


class PasswordEncoderConfigs:
    """Names and defaults.

    :origin: security.PasswordEncoderConfigs
    """

    PASSWORD_ENCODER_SECRET_CONFIG = "password.encoder.secret"
    PASSWORD_ENCODER_OLD_SECRET_CONFIG = "password.encoder.old.secret"
    PASSWORD_ENCODER_KEYFACTORY_ALGORITHM_CONFIG = "password.encoder.keyfactory.algorithm"
    PASSWORD_ENCODER_CIPHER_ALGORITHM_CONFIG = "password.encoder.cipher.algorithm"
    PASSWORD_ENCODER_CIPHER_ALGORITHM_DEFAULT = "AES/CBC/PKCS5Padding"
    PASSWORD_ENCODER_KEY_LENGTH_CONFIG = "password.encoder.key.length"
    PASSWORD_ENCODER_KEY_LENGTH_DEFAULT = 128
    PASSWORD_ENCODER_ITERATIONS_CONFIG = "password.encoder.iterations"
    PASSWORD_ENCODER_ITERATIONS_DEFAULT = 4 * 1024
