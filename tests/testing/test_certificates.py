# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Certificates and stores that tests make."""

from __future__ import annotations

import datetime

import pytest
from cryptography.hazmat.primitives.serialization import pkcs12

from kreactor.jdk.clock import Clock
from kreactor.testing.certificates import new_certificate

DAY = datetime.timedelta(days=1)


@pytest.mark.parametrize("valid_for", [
    datetime.timedelta(hours=-1), -30 * DAY, datetime.timedelta(), datetime.timedelta(hours=1), 30 * DAY],
    ids=str)
def test_a_certificate_is_valid_from_a_day_before_its_end_or_now(valid_for: datetime.timedelta) -> None:
    before = Clock.utc()
    certificate = new_certificate("server", valid_for=valid_for).certificate
    begin, end = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    assert end - begin == DAY + max(valid_for, datetime.timedelta())
    second = datetime.timedelta(seconds=1)
    assert before - second <= end - valid_for <= Clock.utc()


@pytest.mark.parametrize("length", [0, 1, 2])
def test_a_key_store_has_the_chain_of_its_certificate(length: int) -> None:
    certificate = new_certificate("authority")
    for number in range(length):
        certificate = new_certificate(f"signed-{number}", signed_by=certificate, is_authority=True)
    store = pkcs12.load_pkcs12(certificate.key_store("secret", "server"), b"secret")
    assert store.cert is not None and store.key is not None
    assert (store.cert.friendly_name, store.cert.certificate) == (b"server", certificate.certificate)
    assert [each.certificate for each in store.additional_certs] == list(certificate.issuers)
    assert len(certificate.issuers) == length
