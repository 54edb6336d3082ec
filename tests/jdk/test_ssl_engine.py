# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The engine alone: two of them in memory, and what is no TLS."""

from __future__ import annotations

import ssl
from unittest.mock import Mock

import pytest

from kreactor.jdk.cipher_suites import iana_name, openssl_name
from kreactor.jdk.key_store import KeyEntry, load_key_entry
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.ssl_engine import PACKET_BUFFER_SIZE, HandshakeStatus, SSLEngine, Status
from kreactor.jdk.ssl_exceptions import (
    SSLException,
    SSLHandshakeException,
    SSLPeerUnverifiedException,
    SSLProtocolException,
)
from kreactor.jdk.x509 import X509Certificate
from kreactor.testing.certificates import new_certificate

CERTIFICATE = new_certificate("server")
EMPTY = ByteBuffer.allocate(0)


def engines(version: ssl.TLSVersion = ssl.TLSVersion.TLSv1_3,
            chain_length: int = 1) -> tuple[SSLEngine, SSLEngine]:
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    entry = KeyEntry(CERTIFICATE.private_key_pem().encode(), chain_length * (
        X509Certificate(ssl.PEM_cert_to_DER_cert(CERTIFICATE.certificate_pem())),))
    load_key_entry(server, entry, None)
    server.maximum_version = version
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False
    client.verify_mode = ssl.CERT_NONE
    both = SSLEngine(client, False, "server", 1), SSLEngine(server, True)
    for engine in both:
        engine.begin_handshake()
    return both


def carry(source: SSLEngine, target: SSLEngine, data: ByteBuffer = EMPTY) -> bytes:
    """Wrap at ``source`` as long as there is something, unwrap at ``target``; return what came out there."""
    out = ByteBuffer.allocate(PACKET_BUFFER_SIZE * 2)
    while data.has_remaining() or source.get_handshake_status() is HandshakeStatus.NEED_WRAP:
        network = ByteBuffer.allocate(PACKET_BUFFER_SIZE)
        assert source.wrap(data, network).get_status() is Status.OK
        network.flip()
        while network.has_remaining():
            assert target.unwrap(network, out).get_status() is Status.OK
    return out.flip().to_bytes()


def shake_hands(client: SSLEngine, server: SSLEngine) -> None:
    for _ in range(3):
        carry(client, server)
        carry(server, client)


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_conversation(version):
    client, server = engines(version)
    assert client.get_handshake_status() is HandshakeStatus.NEED_WRAP
    assert server.get_handshake_status() is HandshakeStatus.NEED_UNWRAP
    assert client.get_session().get_protocol() == "NONE" or version is ssl.TLSVersion.TLSv1_2
    shake_hands(client, server)
    session = client.get_session()
    assert session.get_protocol() == {ssl.TLSVersion.TLSv1_2: "TLSv1.2"}.get(version, "TLSv1.3")
    assert session.get_cipher_suite().startswith("TLS_")
    assert session.get_peer_principal().get_name() == "CN=server"
    assert (session.get_peer_host(), session.get_peer_port()) == ("server", 1)
    with pytest.raises(SSLPeerUnverifiedException):
        server.get_session().get_peer_principal()
    # As of an engine of Java that was made without them.
    assert (server.get_session().get_peer_host(), server.get_session().get_peer_port()) == (None, -1)

    text = bytes(range(256)) * 100
    assert carry(client, server, ByteBuffer.wrap(text)) == text
    assert carry(server, client, ByteBuffer.wrap(b"answer")) == b"answer"

    client.close_outbound()
    network = ByteBuffer.allocate(PACKET_BUFFER_SIZE)
    assert client.wrap(EMPTY, network).get_status() is Status.CLOSED and client.is_outbound_done()
    assert server.unwrap(network.flip(), ByteBuffer.allocate(100)).get_status() is Status.CLOSED
    server.close_inbound()
    with pytest.raises(SSLException, match="^closing inbound before receiving peer's close_notify$"):
        client.close_inbound()


def test_a_record_takes_what_there_is():
    client, server = engines()
    shake_hands(client, server)
    network = ByteBuffer.allocate(PACKET_BUFFER_SIZE)
    text = ByteBuffer.wrap(b"text")
    assert client.wrap(text, network).bytes_consumed == 4
    assert text.position() == 4
    large = ByteBuffer.wrap(bytes(20_000))
    assert client.wrap(large, network.clear()).bytes_consumed == large.position() == 16_384


def test_a_record_costs_one_read_of_openssl() -> None:
    """A read that finds nothing raises an exception, which takes longer than the read."""
    client, server = engines()
    shake_hands(client, server)
    network = ByteBuffer.allocate(PACKET_BUFFER_SIZE)
    client.wrap(ByteBuffer.wrap(b"text"), network)
    with_openssl = server._object
    server._object = Mock(wraps=with_openssl)
    out = ByteBuffer.allocate(PACKET_BUFFER_SIZE)
    server.unwrap(network.flip(), out)
    assert out.flip().to_bytes() == b"text"
    assert server._object.read.call_count == 1


def test_both_say_at_once_that_they_are_done():
    both = engines()
    shake_hands(*both)
    said = []
    for engine in both:
        engine.close_outbound()
        said.append(ByteBuffer.allocate(PACKET_BUFFER_SIZE))
        assert engine.wrap(EMPTY, said[-1]).get_status() is Status.CLOSED
    for engine, last_words in zip(both, reversed(said)):
        assert engine.unwrap(last_words.flip(), ByteBuffer.allocate(100)).get_status() is Status.CLOSED
        engine.close_inbound()


def test_finished_is_said_once():
    client, server = engines()
    said = []
    for source, target in ((client, server), (server, client)) * 3:
        while source.get_handshake_status() is HandshakeStatus.NEED_WRAP:
            network = ByteBuffer.allocate(PACKET_BUFFER_SIZE)
            said.append((source, source.wrap(EMPTY, network).get_handshake_status()))
            network.flip()
            while network.has_remaining():
                result = target.unwrap(network, ByteBuffer.allocate(PACKET_BUFFER_SIZE))
                said.append((target, result.get_handshake_status()))
    finished = [engine for engine, status in said if status is HandshakeStatus.FINISHED]
    assert sorted(map(id, finished)) == sorted((id(client), id(server)))


def test_buffers_that_are_too_short():
    client, server = engines()
    assert client.wrap(EMPTY, ByteBuffer.allocate(10)).get_status() is Status.BUFFER_OVERFLOW
    network = ByteBuffer.allocate(PACKET_BUFFER_SIZE)
    client.wrap(EMPTY, network)
    network.flip()
    whole = network.to_bytes()
    for size in (0, 4, 5, len(whole) - 1):
        part = ByteBuffer.wrap(whole[:size])
        assert server.unwrap(part, EMPTY).get_status() is Status.BUFFER_UNDERFLOW
        assert part.position() == 0
    server.unwrap(ByteBuffer.wrap(whole), EMPTY)
    carry(server, client)
    shake_hands(client, server)
    network.clear()
    client.wrap(ByteBuffer.wrap(b"text"), network)
    short = ByteBuffer.allocate(3)
    assert server.unwrap(network.flip(), short).get_status() is Status.BUFFER_OVERFLOW
    assert network.position() == 0 == short.position()


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_handshake_with_many_certificates_is_sent_in_whole_records(version: ssl.TLSVersion) -> None:
    client, server = engines(version, chain_length=100)
    carry(client, server)
    sizes = []
    while server.get_handshake_status() is HandshakeStatus.NEED_WRAP:
        network = ByteBuffer.allocate(PACKET_BUFFER_SIZE)
        assert server.wrap(EMPTY, network).get_status() is Status.OK
        sizes.append(network.position())
        network.flip()
        while network.has_remaining():
            assert client.unwrap(network, ByteBuffer.allocate(PACKET_BUFFER_SIZE)).status is Status.OK
    assert sum(sizes) > 2 * PACKET_BUFFER_SIZE
    shake_hands(client, server)
    assert carry(client, server, ByteBuffer.wrap(b"text")) == b"text"


def test_a_handshake_may_come_in_records_as_short_as_an_alert():
    """As a real 3.8.0 on Java 17 waits for the rest of it."""
    _, server = engines()
    result = server.unwrap(ByteBuffer.wrap(b"\x16\3\1\0\2\1\0"), EMPTY)
    assert (result.status, result.handshake_status) == (Status.OK, HandshakeStatus.NEED_UNWRAP)


INTERNAL_ERROR, UNEXPECTED_MESSAGE = b"\x15\x03\x03\0\2\2\x50", b"\x15\x03\x03\0\2\2\x0a"


# As a real 3.8.0 on Java 17 answers over its TLS listener.
@pytest.mark.parametrize("first, answer, error", [
    (b"GET / HTTP/1.0\r\n\r\n", INTERNAL_ERROR, SSLException),
    (b"\0\0\0\x0c\0\x12\0\0\0\0\0\1\0\2ab", INTERNAL_ERROR, SSLException),
    (b"\x16\2\1\0\5hello", INTERNAL_ERROR, SSLException),
    (b"\x16\3\1\0\5hello", UNEXPECTED_MESSAGE, SSLHandshakeException),
    (b"\x16\3\1\xff\xff", UNEXPECTED_MESSAGE, SSLProtocolException),
    (b"\x15\3\3\0\2\1\0", b"\x15\3\3\0\2\1\0", SSLException),
    (b"\x15\3\3\0\2\2\x28", b"", SSLHandshakeException),
    (b"\x17\3\3\0\5hello", INTERNAL_ERROR, SSLHandshakeException),
    (b"\x17\3\3\0\0", INTERNAL_ERROR, SSLHandshakeException),
])
def test_what_is_no_handshake(first, answer, error):
    _, server = engines()
    with pytest.raises(error) as raised:
        server.unwrap(ByteBuffer.wrap(first), EMPTY)
    assert type(raised.value) is error
    server.close_outbound()
    network = ByteBuffer.allocate(PACKET_BUFFER_SIZE)
    assert server.wrap(EMPTY, network).get_status() is Status.CLOSED
    assert network.flip().to_bytes() == answer
    assert server.get_handshake_status() is HandshakeStatus.NOT_HANDSHAKING


def test_a_record_that_was_changed_on_its_way():
    client, server = engines()
    shake_hands(client, server)
    network = ByteBuffer.allocate(PACKET_BUFFER_SIZE)
    client.wrap(ByteBuffer.wrap(b"text"), network)
    network.put_at(8, network.get_at(8) ^ 1)
    # OpenSSL 3.2 and newer call it a failure of the record layer.
    with pytest.raises(SSLException, match="(?i)bad record mac|decryption failed|record layer failure"):
        server.unwrap(network.flip(), ByteBuffer.allocate(100))


@pytest.mark.parametrize("name", [
    "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305", "AES128-SHA", "DHE-RSA-AES256-SHA256"])
def test_names_of_suites(name):
    assert openssl_name(iana_name(name)) == name != iana_name(name)
    assert iana_name("TLS_AES_128_GCM_SHA256") == "TLS_AES_128_GCM_SHA256"
