# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Key stores in PKCS12: entries by their names, or by numbers where they have none."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.serialization import pkcs12

from kreactor.jdk.key_store import KeyStore, KeyStoreException
from kreactor.testing.certificates import new_certificate, trust_store

PLAIN = serialization.NoEncryption()


def test_certificates_without_names_are_numbered() -> None:
    made = [new_certificate(f"ca{number}").certificate for number in range(3)]
    entries = [pkcs12.PKCS12Certificate(each, name) for each, name in zip(made, (None, b"named", None))]
    store = KeyStore.load("pkcs12", trust_store(entries, PLAIN), None)
    assert store.aliases() == ["0", "named", "2"]
    for alias, certificate in zip(store.aliases(), made):
        found = store.get_certificate(alias)
        assert found is not None
        assert found.get_encoded() == certificate.public_bytes(serialization.Encoding.DER)
    assert len(store.trusted_certificates()) == 3
    assert store.key_entries() == []
    assert store.get_certificate("1") is None


@pytest.mark.parametrize(("name", "alias"), [(None, "1"), (b"kafka", "kafka")])
def test_a_key_comes_with_its_chain(name: bytes | None, alias: str) -> None:
    authority = new_certificate("ca", is_authority=True)
    own = new_certificate("kafka", signed_by=authority)
    key = serialization.load_pem_private_key(own.private_key_pem().encode(), None)
    data = pkcs12.serialize_key_and_certificates(
        name, key, own.certificate, [authority.certificate], PLAIN)  # type: ignore[arg-type]
    store = KeyStore.load("PKCS12", data, None)
    [entry] = store.key_entries()
    assert store.aliases() == [alias]
    assert [each.get_subject_x500_principal().get_name() for each in entry.certificate_chain] == [
        "CN=kafka", "CN=ca"]
    assert store.get_certificate(alias) is entry.certificate_chain[0]
    assert store.trusted_certificates() == []


@pytest.mark.parametrize(("type_", "message"), [
    ("JKS", "a key store of type JKS cannot be read here"), ("PKCS12", "keystore password was incorrect")])
def test_what_cannot_be_read(type_: str, message: str) -> None:
    with pytest.raises(KeyStoreException, match=message):
        KeyStore.load(type_, b"no store", "secret")
