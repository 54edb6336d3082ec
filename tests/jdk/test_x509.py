# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The fields of a certificate, beside those that another library reads."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.x509 import X500Principal, X509Certificate
from kreactor.testing.certificates import new_certificate


def principal(*attributes: tuple[x509.ObjectIdentifier, str]) -> X500Principal:
    name = x509.Name([x509.NameAttribute(oid, value) for oid, value in attributes])
    return X500Principal(name.public_bytes())


# As Java 17 prints them.
@pytest.mark.parametrize("attributes, name", [
    ([(NameOID.COUNTRY_NAME, "DE"), (NameOID.ORGANIZATION_NAME, "Org"), (NameOID.COMMON_NAME, "client")],
     "CN=client,O=Org,C=DE"),
    ([(NameOID.ORGANIZATION_NAME, 'a,b+c"d\\e<f>g;h')], r"O=a\,b\+c\"d\\e\<f\>g\;h"),
    ([(NameOID.COMMON_NAME, " #x ")], r"CN=\ \#x\ "),
    ([(NameOID.COMMON_NAME, "#x")], r"CN=\#x"),
    ([(NameOID.USER_ID, "u"), (NameOID.DOMAIN_COMPONENT, "com")], "DC=com,UID=u"),
    ([(NameOID.EMAIL_ADDRESS, "a@b")], "1.2.840.113549.1.9.1=#1603614062"),
    ([(NameOID.COMMON_NAME, "Ünïcødé")], "CN=Ünïcødé"),
])
def test_names(attributes, name):
    assert principal(*attributes).get_name() == name == str(principal(*attributes))


def test_names_are_equal_whatever_their_case_and_spaces():
    one, other = principal((NameOID.COMMON_NAME, "A  b")), principal((NameOID.COMMON_NAME, "a B"))
    assert one == other and hash(one) == hash(other)
    assert one != principal((NameOID.COMMON_NAME, "ab"))


def test_names_beside_java():
    lines = (Path(__file__).parent / "x500_names_java_17.tsv").read_text(encoding="utf-8").split("\n")[1:-1]
    assert len(lines) > 10
    for encoded, name, canonical in (line.split("\t") for line in lines):
        found = X500Principal(bytes.fromhex(encoded))
        assert (found.get_name(), found._canonical()) == (name, canonical)


def test_alternative_names():
    made = new_certificate("server", ["localhost", "*.example.com"], ["127.0.0.1", "::1"]).certificate
    certificate = X509Certificate(made.public_bytes(serialization.Encoding.DER))
    assert certificate.get_subject_x500_principal().get_name() == "CN=server"
    assert certificate.get_subject_alternative_names() == {
        b"\x82\x09localhost", b"\x82\x0d*.example.com", b"\x87\x04\x7f\0\0\x01",
        b"\x87\x10" + bytes(15) + b"\1"}
    plain = new_certificate("server").certificate.public_bytes(serialization.Encoding.DER)
    assert X509Certificate(plain).get_subject_alternative_names() == frozenset()


def test_what_is_cut_short_is_no_certificate():
    encoded = new_certificate("server").certificate.public_bytes(serialization.Encoding.DER)
    for size in range(len(encoded)):
        with pytest.raises(IllegalArgumentException):
            X509Certificate(encoded[:size]).get_subject_x500_principal()


def test_a_certificate_without_extensions():
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "bare")])
    now = datetime(2024, 1, 1)
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, now, now).sign(key, hashes.SHA256())
    certificate = X509Certificate(made.public_bytes(serialization.Encoding.DER))
    assert certificate.get_subject_x500_principal().get_name() == "CN=bare"
    assert certificate.get_subject_alternative_names() == frozenset()


def test_a_certificate_with_too_few_fields_is_none():
    # Whole sequences, unlike a certificate that is cut short, but with five fields for seven.
    signed = b"\x30\x0f" + b"\x02\x01\x01" * 5
    with pytest.raises(IllegalArgumentException, match="^not a certificate$"):
        X509Certificate(b"\x30" + bytes([len(signed)]) + signed).get_subject_alternative_names()
