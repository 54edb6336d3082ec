# Licensed under the Apache License, Version 2.0; see LICENSE.
"""SslTransportLayer on an engine and a socket that follow a script: what no real peer does on demand."""

from __future__ import annotations

from collections import deque
from unittest.mock import Mock

import pytest

from kreactor.common.errors import SslAuthenticationException
from kreactor.common.network.cipher_information import CipherInformation
from kreactor.common.network.ssl_transport_layer import SslTransportLayer
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.utils.log_context import TRACE
from kreactor.jdk.exceptions import CancelledKeyException, EOFException, IllegalStateException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import FileChannel
from kreactor.jdk.ssl_engine import Status
from kreactor.jdk.ssl_exceptions import SSLException, SSLHandshakeException, SSLProtocolException
from kreactor.jdk.x509 import X500Principal
from tests.common.network.scripted_tls import (
    FINISHED,
    NEED_UNWRAP,
    NEED_WRAP,
    NOT_HANDSHAKING,
    OP_READ,
    OP_WRITE,
    Failure,
    ScriptedTls,
    Step,
    wait_for_write,
)

OVERFLOW, UNDERFLOW, CLOSED = Status.BUFFER_OVERFLOW, Status.BUFFER_UNDERFLOW, Status.CLOSED
REFUSAL = SSLHandshakeException("Received fatal alert: bad_certificate")


@pytest.fixture
def tls() -> ScriptedTls:
    return ScriptedTls()


@pytest.fixture
def ready() -> ScriptedTls:
    return ScriptedTls().after_handshake()


# -- the handshake

def test_a_handshake_that_a_socket_takes_a_few_bytes_at_a_time(tls):
    """Nothing is lost or repeated, and the answer is not waited for before all is sent."""
    tls.wraps(Step(handshake=NEED_UNWRAP, gives=b"client hello")).takes(5, 0, 4, 2)
    for sent in (b"clien", b"client he", b"client hell"):
        tls.layer.handshake()
        assert tls.socket.sent == sent and wait_for_write(tls) and not tls.layer.ready()
    tls.gives(b"server hello").unwraps(Step(handshake=FINISHED, takes=None))
    tls.layer.handshake()
    assert tls.socket.sent == b"client hello"
    assert tls.layer.ready() and not wait_for_write(tls)


def test_a_handshake_is_not_over_before_its_last_bytes_are_sent(tls):
    tls.engine.status = NEED_WRAP
    tls.wraps(Step(handshake=FINISHED, gives=b"finished")).takes(3, 0, 1)
    for sent in (b"fin", b"fin", b"fini"):
        tls.layer.handshake()
        assert tls.socket.sent == sent and not tls.layer.ready() and wait_for_write(tls)
    tls.layer.handshake()
    assert tls.socket.sent == b"finished" and tls.layer.ready() and not wait_for_write(tls)
    tls.registry.register_cipher_information.assert_called_once_with(
        CipherInformation("TLS_SCRIPTED", "TLSv1.2"))


def test_a_wrap_that_needs_more_room_in_the_handshake_gets_it(tls):
    tls.engine.session.packet = 8
    tls.wraps(Step(OVERFLOW, NEED_WRAP, packet=32),
              Step(handshake=NEED_WRAP, gives=b"a certificate of 25 bytes"))
    tls.layer.handshake()
    assert wait_for_write(tls) and not tls.socket.sent
    tls.layer.handshake()
    assert tls.socket.sent == b"a certificate of 25 bytes"


@pytest.mark.parametrize("step, error, message", [
    (Step(OVERFLOW, NEED_WRAP, gives=bytes(64)), IllegalStateException,
     r"Buffer overflow .*\(64\) >= .*\(64\)"),
    (Step(UNDERFLOW, NEED_WRAP), IllegalStateException, "BUFFER_UNDERFLOW during handshake WRAP"),
    (Step(CLOSED, NEED_WRAP), EOFException, "^$"),
], ids=["overflow", "underflow", "closed"])
def test_a_wrap_that_fails_the_handshake(tls, step, error, message):
    tls.key.ready = OP_WRITE
    # After a failure of a wrap the layer asks what the peer said last.
    tls.wraps(step, Step()).takes(0)
    with pytest.raises(error, match=message):
        tls.layer.handshake()
    assert not tls.layer.ready()


def test_an_unwrap_that_needs_more_room_in_the_handshake_gets_it_at_once(tls):
    tls.hears()
    tls.gives(b"hello").unwraps(
        Step(OVERFLOW, NEED_UNWRAP, application=100), Step(handshake=FINISHED, takes=None, gives=bytes(100)))
    tls.layer.handshake()
    assert tls.layer.ready() and tls.layer.app_read_buffer().position() == 100


def test_an_unwrap_that_needs_room_beyond_the_sessions_size_fails_the_handshake(tls):
    tls.hears()
    tls.gives(b"hello").unwraps(Step(OVERFLOW, NEED_UNWRAP, gives=bytes(20), application=10))
    with pytest.raises(IllegalStateException, match=r"size \(20\) > packet buffer size \(10\)"):
        tls.layer.handshake()


def test_half_a_record_waits_for_the_other_half(tls):
    """The buffer grows with the session's packets, and keeps the first half."""
    tls.engine.session.packet = 8
    tls.hears()
    tls.gives(b"server h", b"ello").unwraps(
        Step(UNDERFLOW, NEED_UNWRAP, packet=32), Step(handshake=FINISHED, takes=12))
    tls.layer.handshake()
    assert not tls.layer.ready() and not wait_for_write(tls)
    assert tls.layer.net_read_buffer().position() == 8
    tls.layer.handshake()
    assert tls.layer.ready() and tls.layer.net_read_buffer().position() == 0


def test_an_underflow_of_a_full_buffer_fails_the_handshake(tls):
    tls.engine.session.packet = 8
    tls.hears()
    tls.gives(b"server hello").unwraps(Step(UNDERFLOW, NEED_UNWRAP))
    with pytest.raises(IllegalStateException, match="Buffer underflow when there is available data"):
        tls.layer.handshake()


def test_a_close_of_the_peer_in_the_handshake(tls):
    tls.hears()
    tls.gives(b"close_notify").unwraps(
        Step(CLOSED, NOT_HANDSHAKING, takes=None), Step(CLOSED, NOT_HANDSHAKING))
    with pytest.raises(EOFException, match="SSL handshake status CLOSED during handshake UNWRAP"):
        tls.layer.handshake()


@pytest.mark.parametrize("then, ops", [
    (NEED_WRAP, OP_READ | OP_WRITE),
    (NOT_HANDSHAKING, OP_READ),
])
def test_what_the_engine_needs_next_decides_the_interest(tls, then, ops):
    tls.hears()
    tls.gives(b"hello").unwraps(Step(handshake=then, takes=None))
    tls.layer.handshake()
    assert tls.key.ops == ops and not tls.layer.ready()


def test_a_handshake_that_waits_for_the_peer_does_not_wait_for_room(tls):
    """Or a select would return at once, again and again."""
    tls.engine.status = NEED_UNWRAP
    tls.key.ops = OP_READ | OP_WRITE
    tls.unwraps(Step(UNDERFLOW, NEED_UNWRAP))
    tls.layer.handshake()
    assert tls.key.ops == OP_READ


def test_an_engine_that_stops_in_the_middle_of_the_handshake(tls):
    tls.engine.status = NOT_HANDSHAKING
    tls.unwraps(Step())
    tls.key.ready = OP_WRITE
    with pytest.raises(OSError, match="NOT_HANDSHAKING during handshake"):
        tls.layer.handshake()


@pytest.mark.parametrize("segments", [[-1], [b"half", -1]], ids=["nothing", "half a record"])
def test_the_end_of_the_connection_in_the_handshake(tls, segments):
    tls.hears()
    tls.gives(*segments).unwraps(*[Step(UNDERFLOW, NEED_UNWRAP)] * 5)
    with pytest.raises(EOFException, match="EOF during handshake, handshake status is NEED_UNWRAP"):
        for _ in range(2):
            tls.layer.handshake()


def test_the_end_behind_a_handshake_that_waits_to_be_sent(tls):
    """The socket takes nothing, so the end is all that the peer's side tells."""
    tls.wraps(Step(handshake=NEED_UNWRAP, gives=b"client hello")).takes(0, 0, 0)
    tls.layer.handshake()
    tls.layer.net_read_buffer().clear()
    tls.gives(-1)
    with pytest.raises(EOFException, match="EOF during handshake, handshake status is NEED_WRAP|NEED_UNWRAP"):
        tls.layer.handshake()


@pytest.mark.parametrize("error, raised", [
    (SSLHandshakeException("no cipher"), SslAuthenticationException),
    (SSLException("out of entropy"), SSLException),
])
def test_a_handshake_that_cannot_begin(tls, error, raised):
    tls.engine.begin = error
    with pytest.raises(raised) as found:
        tls.layer.handshake()
    assert error in (found.value, found.value.__cause__)


@pytest.mark.parametrize("error, is_refusal", [
    (SSLProtocolException("record too big"), True),
    (SSLException("Unrecognized SSL message, plaintext connection?"), True),
    (SSLException("Received fatal alert: handshake_failure"), True),
    (SSLException("Received close_notify during handshake"), False),
])
def test_which_errors_of_the_engine_refuse_the_peer(tls, error, is_refusal):
    """A client tries again after an error that is not a failed authentication."""
    tls.hears()
    tls.gives(b"?").unwraps(Failure(error, NOT_HANDSHAKING))
    with pytest.raises(SslAuthenticationException if is_refusal else SSLException) as found:
        tls.layer.handshake()
    assert (found.value.__cause__ if is_refusal else found.value) is error


def test_the_peer_is_told_of_a_failure_before_the_caller(tls):
    """The socket takes the alert in two pieces; only then the failure is raised."""
    tls.hears()
    tls.gives(b"certificate").unwraps(Failure(SSLHandshakeException("certificate unknown"))).takes(0, 3, 0)
    tls.engine.close_inbound_error = SSLException("no close_notify")
    tls.wraps(Step(handshake=NOT_HANDSHAKING, gives=b"alert"))
    tls.layer.handshake()
    assert tls.socket.sent == b"" and wait_for_write(tls)
    tls.key.ready = OP_WRITE
    tls.layer.handshake()
    assert tls.socket.sent == b"ale" and wait_for_write(tls)
    tls.socket.room.clear()
    with pytest.raises(SslAuthenticationException, match="SSL handshake failed") as found:
        tls.layer.handshake()
    assert tls.socket.sent == b"alert" and str(found.value.__cause__) == "certificate unknown"
    assert tls.engine.is_inbound_closed and tls.engine.is_outbound_closed


def test_a_peer_that_is_gone_cannot_be_told_of_a_failure(tls):
    """The failure is raised all the same, and at once."""
    tls.hears()
    tls.gives(b"certificate").unwraps(Failure(REFUSAL)).wraps(Step(handshake=NEED_WRAP, gives=b"alert"))
    tls.takes(BrokenPipeError("the peer is gone"))
    with pytest.raises(SslAuthenticationException) as found:
        tls.layer.handshake()
    assert found.value.__cause__ is REFUSAL and not tls.socket.sent


def test_a_failure_that_is_known_is_raised_when_the_alert_cannot_be_sent_any_more(tls):
    tls.hears()
    tls.gives(b"certificate").unwraps(Failure(REFUSAL)).wraps(Step(gives=b"alert")).takes(0)
    tls.layer.handshake()
    tls.takes(BrokenPipeError("the peer is gone"))
    with pytest.raises(SslAuthenticationException) as found:
        tls.layer.handshake()
    assert found.value.__cause__ is REFUSAL


def test_a_failure_that_is_known_is_raised_at_the_end_of_the_connection(tls):
    tls.hears()
    tls.gives(b"certificate").unwraps(Failure(REFUSAL)).wraps(Step(gives=b"alert")).takes(0, 0)
    tls.layer.handshake()
    tls.gives(-1)
    with pytest.raises(SslAuthenticationException) as found:
        tls.layer.handshake()
    assert found.value.__cause__ is REFUSAL


def test_a_socket_that_breaks_in_the_handshake_after_the_peer_has_refused(tls):
    """The refusal is in what came before the socket broke, behind another record."""
    tls.wraps(Step(handshake=NEED_UNWRAP, gives=b"hello")).takes(ConnectionResetError("reset"))
    tls.gives(b"record", b"alert").unwraps(Step(handshake=NEED_WRAP, takes=None), Failure(REFUSAL))
    tls.wraps(Step(handshake=NEED_UNWRAP, gives=b"to nobody"))
    with pytest.raises(SslAuthenticationException) as found:
        tls.layer.handshake()
    assert found.value.__cause__ is REFUSAL and not tls.socket.sent


@pytest.mark.parametrize("last_word", [
    Step(UNDERFLOW, NEED_UNWRAP), Failure(SSLException("Received close_notify"), NOT_HANDSHAKING)])
def test_a_socket_that_breaks_in_the_handshake_without_a_refusal(tls, last_word):
    reset = ConnectionResetError("reset")
    tls.wraps(Step(handshake=NEED_UNWRAP, gives=b"hello")).takes(reset).unwraps(last_word)
    with pytest.raises(ConnectionResetError) as found:
        tls.layer.handshake()
    assert found.value is reset


# -- renegotiation

def test_a_second_handshake_is_refused(ready):
    with pytest.raises(SSLHandshakeException, match="Renegotiation is not supported"):
        ready.layer.handshake()


@pytest.mark.parametrize("protocol, refused", [("TLSv1.2", True), ("TLSv1.3", False)])
@pytest.mark.parametrize("asks", [NEED_WRAP, NEED_UNWRAP])
def test_a_peer_that_begins_a_new_handshake(protocol, refused, asks):
    """TLS 1.3 has no renegotiation: its new keys are no handshake, so bytes go on."""
    tls = ScriptedTls(protocol).after_handshake()
    tls.gives(b"record").unwraps(Step(handshake=asks, takes=None, gives=b"text"))
    if refused:
        with pytest.raises(SSLHandshakeException, match="Renegotiation is not supported"):
            tls.read(10)
    else:
        assert tls.read(10) == b"text"


@pytest.mark.parametrize("protocol, refused", [("TLSv1.2", True), ("TLSv1.3", False)])
def test_a_write_in_the_middle_of_a_new_handshake(protocol, refused):
    tls = ScriptedTls(protocol).after_handshake()
    tls.wraps(Step(handshake=NEED_UNWRAP, takes=None, gives=b"record"))
    if refused:
        with pytest.raises(SSLHandshakeException, match="Renegotiation is not supported"):
            tls.layer.write(ByteBuffer.wrap(b"text"))
        assert not tls.socket.sent
    else:
        assert tls.layer.write(ByteBuffer.wrap(b"text")) == 4 and tls.socket.sent == b"record"


# -- reading

def test_a_record_that_does_not_fit_waits_for_who_reads(ready):
    """The buffer of decrypted bytes grows to the session's size, and what is in it is read first."""
    ready.gives(b"record").unwraps(
        Step(takes=2, gives=b"abcdef"), Step(OVERFLOW, application=100), Step(takes=None, gives=b"g" * 90))
    assert ready.read(6) == b"abcdef"
    assert ready.read(200) == b"g" * 90
    assert ready.layer.app_read_buffer().capacity() == 100


def test_an_overflow_makes_room_by_what_the_reader_takes(ready):
    ready.gives(b"record").unwraps(Step(OVERFLOW, gives=b"some"), Step(takes=None, gives=b" more"))
    assert ready.read(20) == b"some more"


def test_an_overflow_waits_if_the_reader_has_no_room(ready):
    """Decrypted bytes stay for the next read, and the record behind them too."""
    ready.gives(b"record").unwraps(Step(takes=1, gives=b"full"), Step(OVERFLOW, gives=b""))
    assert ready.read(4) == b"full"
    assert ready.layer.has_bytes_buffered()
    ready.engine.unwraps.append(Step(takes=None, gives=b" rest"))
    assert ready.read(5) == b" rest"
    assert not ready.layer.has_bytes_buffered()


def test_a_full_buffer_is_decrypted_before_the_socket_is_read(ready):
    """The last record waits for room in a buffer that is full; what comes next is not lost."""
    ready.gives(bytes(64), b"next").unwraps(Step(gives=b"full"), Step(OVERFLOW))
    assert ready.read(4) == b"full" and ready.layer.net_read_buffer().position() == 64
    ready.unwraps(Step(takes=64, gives=b"rest"))
    assert ready.read(8) == b"rest" and ready.socket.gives == deque([b"next"])
    ready.unwraps(Step(takes=4, gives=b"NEXT"))
    assert ready.read(8) == b"NEXT"


def test_an_overflow_beyond_the_sessions_size(ready):
    ready.gives(b"record").unwraps(Step(OVERFLOW, gives=bytes(64)))
    with pytest.raises(IllegalStateException, match=r"\(64\) >= application buffer size \(64\)"):
        ready.read(10)


def test_half_a_record_is_kept_until_the_other_half_comes(ready):
    ready.gives(b"rec").unwraps(Step(UNDERFLOW, packet=100))
    assert ready.read(10) == b""
    # Until then there is nothing to go on with, which a select would not tell.
    assert ready.read(10) == b"" and not ready.layer.has_bytes_buffered()
    assert ready.layer.net_read_buffer().capacity() == 100
    ready.gives(b"ord").unwraps(Step(takes=6, gives=b"text"))
    assert ready.read(4) == b"text"


def test_an_underflow_of_a_full_buffer(ready):
    ready.gives(bytes(64)).unwraps(Step(UNDERFLOW))
    with pytest.raises(IllegalStateException, match=r"Buffer underflow .*\(64\) > packet buffer size \(64\)"):
        ready.read(10)


@pytest.mark.parametrize("segments, steps", [
    ([-1], []),
    ([b"close_notify"], [Step(CLOSED, takes=None)]),
    ([b"half", -1], [Step(UNDERFLOW), Step(UNDERFLOW)]),
], ids=["without close_notify", "with close_notify", "in a record"])
def test_the_end_of_the_connection(ready, segments, steps):
    ready.gives(*segments).unwraps(*steps)
    with pytest.raises(EOFException):
        for _ in range(2):
            ready.read(10)


def test_the_end_comes_after_what_is_decrypted_already(ready):
    ready.gives(b"record", b"close_notify").unwraps(
        Step(takes=None, gives=b"text more"), Step(CLOSED, takes=0), Step(CLOSED, takes=0))
    assert ready.read(4) == b"text"
    # Bytes first, though the engine is closed by now.
    assert ready.read(10) == b" more"
    with pytest.raises(EOFException):
        ready.read(10)


def test_a_refusal_after_the_handshake_of_tls_1_3():
    """A client of TLS 1.3 is done before the server has seen its certificate."""
    tls = ScriptedTls("TLSv1.3").after_handshake().gives(b"alert").unwraps(Failure(REFUSAL))
    with pytest.raises(SslAuthenticationException, match="process post-handshake messages") as found:
        tls.read(10)
    assert found.value.__cause__ is REFUSAL
    assert not tls.layer.ready()


@pytest.mark.parametrize("protocol", ["TLSv1.2", "TLSv1.3"])
def test_an_alert_after_bytes_is_no_refusal(protocol):
    tls = ScriptedTls(protocol).after_handshake().gives(b"record").unwraps(Step(takes=None, gives=b"text"))
    assert tls.read(10) == b"text"
    error = SSLException("bad record mac")
    tls.gives(b"?").unwraps(Failure(error, NOT_HANDSHAKING))
    with pytest.raises(SSLException) as found:
        tls.read(10)
    assert found.value is error


def test_a_scattering_read_stops_where_nothing_is_left(ready):
    ready.gives(b"record").unwraps(Step(takes=None, gives=b"abcde"))
    full, first, second, third = (ByteBuffer.allocate(size) for size in (0, 3, 4, 2))
    assert ready.layer.read_buffers([full, first, second, third]) == 5
    assert (first.flip().to_bytes(), second.flip().to_bytes(), third.position()) == (b"abc", b"de", 0)


# -- writing

def test_a_write_that_needs_more_room_gets_it(ready):
    ready.wraps(Step(OVERFLOW, packet=200), Step(takes=None, gives=bytes(150)))
    assert ready.layer.write(ByteBuffer.wrap(b"text")) == 4
    assert ready.socket.sent == bytes(150)


@pytest.mark.parametrize("status, error", [(UNDERFLOW, IllegalStateException), (CLOSED, EOFException)])
def test_a_wrap_that_fails_a_write(ready, status, error):
    ready.wraps(Step(status))
    with pytest.raises(error):
        ready.layer.write(ByteBuffer.wrap(b"text"))


def test_a_write_to_a_socket_that_takes_a_few_bytes_at_a_time(ready):
    """Encrypted bytes that wait are sent first, whatever is written next."""
    ready.wraps(Step(takes=2, gives=b"[te]"), Step(takes=2, gives=b"[xt]")).takes(1, 2, 0, 1, 2, 0)
    src = ByteBuffer.wrap(b"text")
    assert ready.layer.write(src) == 2 and ready.layer.has_pending_writes()
    assert ready.layer.write(src) == 0 and ready.socket.sent == b"[te"
    assert ready.layer.write(src) == 0 and ready.socket.sent == b"[te"
    assert ready.layer.write(src) == 2 and ready.layer.has_pending_writes()
    assert ready.layer.write(src) == 0
    ready.socket.room.clear()
    assert ready.layer.write(src) == 0 and not ready.layer.has_pending_writes()
    assert ready.socket.sent == b"[te][xt]"


def test_a_gathering_write_stops_where_the_socket_does(ready):
    """The end of the last buffer counts as written when it is encrypted, but is still to be sent."""
    ready.wraps(Step(takes=None, gives=b"[one]"), Step(takes=None, gives=b"[two]")).takes(5, 2, 0)
    srcs = [ByteBuffer.wrap(b""), ByteBuffer.wrap(b"one"), ByteBuffer.wrap(b"two"), ByteBuffer.wrap(b"")]
    assert ready.layer.write_buffers(srcs) == 6
    assert ready.socket.sent == b"[one][t" and ready.layer.has_pending_writes()
    assert ready.layer.write_buffers(srcs) == 0 and ready.layer.has_pending_writes()
    assert ready.layer.write_buffers(srcs) == 0 and not ready.layer.has_pending_writes()
    assert ready.socket.sent == b"[one][two]"


# -- files

@pytest.fixture
def file(tmp_path):
    (tmp_path / "file").write_bytes(b"0123456789" * 5_000)
    channel = FileChannel.open(tmp_path / "file")
    yield channel
    channel.close()


def encrypts(ready: ScriptedTls, count: int) -> ScriptedTls:
    """Let the engine copy what it encrypts, ``count`` bytes at a time."""
    def wrap(src, dst):
        content = bytes(src.get_bytes(min(count, src.remaining())))
        return type(ready.engine)._do(ready.engine, type(ready.engine.wraps)([Step(takes=0, gives=content)]),
                                      src, dst)._replace(bytes_consumed=len(content))

    ready.engine.session.packet = 40_000
    ready.layer._net_write_buffer = ByteBuffer.allocate(40_000).flip()
    ready.engine.wrap = wrap
    return ready


def test_a_file_that_a_socket_takes_in_pieces(ready, file):
    """Each call goes on where the one before it stopped; no byte is lost or sent twice."""
    encrypts(ready, 1_000)
    position, end = 7, 45_007
    calls = 0
    while position < end:
        ready.takes(700, 0, 200)
        position += ready.layer.transfer_from(file, position, end - position)
        ready.socket.room.clear()
        calls += 1
    assert ready.layer.write(ByteBuffer.wrap(b"")) == 0
    assert position == end and calls > 3
    assert ready.socket.sent == (b"0123456789" * 5_000)[7:end]


def test_a_file_waits_for_what_is_to_be_sent_before_it(ready):
    ready.wraps(Step(takes=None, gives=b"before")).takes(2, 0)
    assert ready.layer.write(ByteBuffer.wrap(b"text")) == 4
    unread = Mock(spec=FileChannel, **{"size.return_value": 100, "read.return_value": -1})
    assert ready.layer.transfer_from(unread, 0, 10) == 0
    # Nor is the file read meanwhile.
    assert ready.socket.sent == b"be" and not unread.method_calls


def test_a_file_that_became_shorter(ready, tmp_path):
    """The call returns what the file still had; the next one has nothing of the lost bytes to send."""
    encrypts(ready, 40_000)

    class Shorter:
        def size(self):
            return 100

        def read(self, dst, position):
            if position >= 40:
                return -1
            dst.put(b"x" * 40)
            return 40

    assert ready.layer.transfer_from(Shorter(), 0, 100) == 40
    assert ready.layer.transfer_from(Shorter(), 40, 60) == 0
    assert ready.socket.sent == b"x" * 40


@pytest.mark.parametrize("before", [0, 40_000])
def test_a_socket_that_breaks_under_a_file(ready, file, before):
    """Bytes that were sent are told first; the next call meets the error again."""
    encrypts(ready, 40_000)
    reset = ConnectionResetError("reset")
    if before:
        ready.takes(40_000, reset)
        # The first 32 KiB are sent, then the error comes.
        assert ready.layer.transfer_from(file, 0, 50_000) == 32_768
    else:
        ready.takes(reset)
        with pytest.raises(ConnectionResetError):
            ready.layer.transfer_from(file, 0, 50_000)


def test_a_position_behind_the_end_of_the_file(ready, file):
    assert ready.layer.transfer_from(file, 50_001, 10) == 0
    assert ready.layer.transfer_from(file, 50_000, 10) == 0
    assert not ready.socket.sent


# -- before the handshake, and after the end

def test_nothing_flows_before_the_handshake_is_over(tls, file):
    assert tls.layer.read(ByteBuffer.allocate(4)) == 0
    assert tls.layer.write(ByteBuffer.wrap(b"text")) == 0
    assert tls.layer.transfer_from(file, 0, 10) == 0
    with pytest.raises(IllegalStateException, match="handshake is not completed"):
        tls.layer.add_interest_ops(OP_WRITE)
    with pytest.raises(IllegalStateException, match="handshake is not completed"):
        tls.layer.remove_interest_ops(OP_READ)
    assert tls.key.ops == OP_READ and not tls.socket.sent


def test_a_handshake_begins_once(tls):
    tls.wraps(Step(handshake=NEED_WRAP))
    tls.layer.handshake()
    with pytest.raises(IllegalStateException, match="can only be called once, state HANDSHAKE"):
        tls.layer._start_handshake()


def test_a_close_ends_everything(ready, file):
    ready.wraps(Step(CLOSED, gives=b"close_notify"))
    ready.layer.close()
    assert ready.socket.sent == b"close_notify" and not ready.layer.is_open()
    assert ready.layer.read(ByteBuffer.allocate(4)) == -1
    for call in (lambda: ready.layer.write(ByteBuffer.wrap(b"text")), ready.layer.handshake,
                 lambda: ready.layer.transfer_from(file, 0, 10)):
        with pytest.raises(IllegalStateException, match="Channel is in closing state"):
            call()
    # A second one does nothing: the engine has no step for it.
    ready.layer.close()


@pytest.mark.parametrize("pending, status, sent", [
    (b"rest of a record", CLOSED, b"r"),
    (b"", Status.OK, b""),
], ids=["what waits is not taken", "an unexpected result"])
def test_a_close_without_close_notify(ready, pending, status, sent):
    """The socket is closed all the same."""
    if pending:
        ready.wraps(Step(takes=None, gives=pending)).takes(1, 0)
        assert ready.layer.write(ByteBuffer.wrap(b"text")) == 4
    ready.wraps(Step(status, gives=b"close_notify"))
    ready.layer.close()
    assert ready.socket.sent == sent and not ready.socket.opened


@pytest.mark.parametrize("connected, begun", [(False, True), (True, False)])
def test_a_close_that_has_nobody_to_tell(connected, begun):
    tls = ScriptedTls().wraps(Step(handshake=NEED_WRAP))
    if begun:
        tls.layer.handshake()
    tls.socket.connected = connected
    tls.layer.close()
    assert not tls.socket.sent and not tls.socket.opened and tls.engine.is_outbound_closed


def test_a_close_in_the_middle_of_the_handshake(tls):
    """The peer learns that this end gave up."""
    tls.wraps(Step(handshake=NEED_UNWRAP, gives=b"client hello"), Step(CLOSED, gives=b" close_notify"))
    tls.unwraps(Step(UNDERFLOW, NEED_UNWRAP))
    tls.engine.close_inbound_error = SSLException("closing inbound before receiving peer's close_notify")
    tls.layer.handshake()
    tls.layer.close()
    assert tls.socket.sent == b"client hello close_notify" and not tls.socket.opened


# -- what the layer tells

def test_interest_after_the_handshake(ready):
    ready.layer.add_interest_ops(OP_WRITE)
    assert ready.key.ops == OP_READ | OP_WRITE and not ready.layer.is_mute()
    ready.layer.remove_interest_ops(OP_READ)
    assert ready.key.ops == OP_WRITE and ready.layer.is_mute()
    ready.layer.disconnect()
    assert not ready.layer.is_mute()
    for change in (ready.layer.add_interest_ops, ready.layer.remove_interest_ops):
        with pytest.raises(CancelledKeyException):
            change(OP_READ)


def test_the_principal_is_the_certificates_or_nobodys(ready):
    assert ready.layer.peer_principal() == KafkaPrincipal.ANONYMOUS
    ready.engine.session.principal = principal = Mock(spec=X500Principal)
    assert ready.layer.peer_principal() is principal
    assert ready.layer.ssl_session() is ready.engine.session


def test_a_connection_that_is_not_there_yet_is_not_read(tls):
    tls.key.ops = 8
    tls.socket.connected = False
    assert not tls.layer.finish_connect() and tls.key.ops == 8
    tls.socket.connected = True
    assert tls.layer.finish_connect() and tls.key.ops == OP_READ
    assert isinstance(tls.layer, SslTransportLayer)


def test_the_steps_of_a_handshake_are_traced(tls, caplog):
    """Each line has the connection, the result of the engine, and how full the buffers are."""
    caplog.set_level(TRACE, SslTransportLayer.__module__)
    tls.wraps(Step(handshake=NEED_UNWRAP, gives=b"hello")).gives(b"he", b"llo")
    tls.layer.handshake()
    tls.unwraps(Step(handshake=FINISHED, takes=None))
    tls.layer.handshake()
    steps = [message.partition("SSLHandshake ")[2] for message in caplog.messages
             if "netWriteBuffer pos" in message]
    assert [step.split()[0] for step in steps] == [
        "NEED_WRAP", "NEED_WRAP", "NEED_UNWRAP", "NEED_UNWRAP", "NEED_UNWRAP", "NEED_UNWRAP", "FINISHED"]
    assert all("channelId scripted" in step for step in steps)
    assert ["handshakeResult" in step for step in steps] == [False, True, False, True, False, True, False]
    [done] = [message for message in caplog.messages if "completed successfully" in message]
    assert "protocol 'TLSv1.2' cipherSuite 'TLS_SCRIPTED'" in done


def test_a_part_of_the_handshake_waits_for_the_one_before_it(tls):
    """A record that is not sent yet must not be overwritten."""
    tls.wraps(Step(handshake=NEED_WRAP, gives=b"first"), Step(handshake=NEED_WRAP, gives=b"second")).takes(2)
    tls.layer.handshake()
    with pytest.raises(IllegalStateException, match="netWriteBuffer not empty"):
        tls.layer._handshake_wrap(True)
    tls.layer.handshake()
    assert tls.socket.sent == b"firstsecond"
