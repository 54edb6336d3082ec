# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.security.PasswordEncoderConfigs of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of the encryption of passwords that Kafka stores with dynamic settings."""

from __future__ import annotations


class PasswordEncoderConfigs:
    """Names and defaults.

    :origin: security.PasswordEncoderConfigs
    """

    PASSWORD_ENCODER_SECRET_CONFIG = "password.encoder.secret"
    PASSWORD_ENCODER_SECRET_DOC = "In Kafka, this secret encrypts the passwords that are kept in ZooKeeper."
    PASSWORD_ENCODER_OLD_SECRET_CONFIG = "password.encoder.old.secret"
    PASSWORD_ENCODER_OLD_SECRET_DOC = (
        "In Kafka, this former secret decrypts stored passwords once, after password.encoder.secret has "
        "changed.")
    PASSWORD_ENCODER_KEYFACTORY_ALGORITHM_CONFIG = "password.encoder.keyfactory.algorithm"
    PASSWORD_ENCODER_KEYFACTORY_ALGORITHM_DOC = (
        "In Kafka, this algorithm derives the key that encrypts stored passwords.")
    PASSWORD_ENCODER_CIPHER_ALGORITHM_CONFIG = "password.encoder.cipher.algorithm"
    PASSWORD_ENCODER_CIPHER_ALGORITHM_DOC = "In Kafka, this cipher encrypts stored passwords."
    PASSWORD_ENCODER_CIPHER_ALGORITHM_DEFAULT = "AES/CBC/PKCS5Padding"
    PASSWORD_ENCODER_KEY_LENGTH_CONFIG = "password.encoder.key.length"
    PASSWORD_ENCODER_KEY_LENGTH_DOC = "In Kafka, the key that encrypts stored passwords has this many bits."
    PASSWORD_ENCODER_KEY_LENGTH_DEFAULT = 128
    PASSWORD_ENCODER_ITERATIONS_CONFIG = "password.encoder.iterations"
    PASSWORD_ENCODER_ITERATIONS_DOC = (
        "In Kafka, this many iterations derive the key that encrypts stored passwords.")
    PASSWORD_ENCODER_ITERATIONS_DEFAULT = 4 * 1024
