# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.scram.internals.ScramCredentialUtilsTest
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
from __future__ import annotations

import pytest

from kreactor.common.security.authenticator.credential_cache import CredentialCache
from kreactor.common.security.scram.internals.scram_credential_utils import ScramCredentialUtils
from kreactor.common.security.scram.internals.scram_formatter import ScramFormatter
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.security.scram.scram_credential import ScramCredential
from kreactor.jdk.exceptions import IllegalArgumentException

FORMATTER = ScramFormatter(ScramMechanism.SCRAM_SHA_256)


def test_string_conversion():
    credential = FORMATTER.generate_credential("password", 1024)
    assert credential.salt() and credential.stored_key() and credential.server_key()
    again = ScramCredentialUtils.credential_from_string(ScramCredentialUtils.credential_to_string(credential))
    assert (again.salt(), again.stored_key(), again.server_key(), again.iterations()) == (
        credential.salt(), credential.stored_key(), credential.server_key(), 1024)


def test_generate_credential():
    texts = {ScramCredentialUtils.credential_to_string(FORMATTER.generate_credential("password", 4096))
             for _ in range(2)}
    assert len(texts) == 2


def check_invalid(text):
    with pytest.raises(IllegalArgumentException) as e:
        ScramCredentialUtils.credential_from_string(text)
    assert str(e.value) == "Credentials not valid"


@pytest.mark.deviation("D183")
def test_invalid_credential():
    check_invalid("abc")


def test_missing_fields():
    text = ScramCredentialUtils.credential_to_string(FORMATTER.generate_credential("password", 2048))
    check_invalid(text[text.index(","):])


def test_extraneous_fields():
    text = ScramCredentialUtils.credential_to_string(FORMATTER.generate_credential("password", 2048))
    check_invalid(text + ",a=test")


@pytest.mark.parametrize("text", [
    "salt=!,stored_key=,server_key=,iterations=1", "salt=,stored_key=,server_key=,iterations=x",
    "salt=,stored_key=é,server_key=,iterations=1"])
def test_what_is_neither_base64_nor_a_number(text):
    check_invalid(text)


def test_scram_credential_cache():
    cache = CredentialCache()
    ScramCredentialUtils.create_cache(cache, ["SCRAM-SHA-512", "PLAIN"])
    sha512_cache = cache.cache(ScramMechanism.SCRAM_SHA_512.mechanism_name(), ScramCredential)
    assert sha512_cache is not None
    assert cache.cache(ScramMechanism.SCRAM_SHA_256.mechanism_name(), ScramCredential) is None

    credential = ScramFormatter(ScramMechanism.SCRAM_SHA_512).generate_credential("password", 4096)
    assert sha512_cache.put("userA", credential) is None
    assert sha512_cache.get("userA") is credential
    assert sha512_cache.get("userB") is None
    assert sha512_cache.remove("userA") is credential and sha512_cache.get("userA") is None
    with pytest.raises(IllegalArgumentException, match="Invalid credential class"):
        cache.cache("SCRAM-SHA-512", str)
