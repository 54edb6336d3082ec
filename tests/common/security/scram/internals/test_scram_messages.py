# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.scram.internals.ScramMessagesTest
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
from __future__ import annotations

import base64

import pytest

from kreactor.common.security.scram.internals.scram_formatter import ScramFormatter
from kreactor.common.security.scram.internals.scram_messages import (
    ClientFinalMessage,
    ClientFirstMessage,
    ServerFinalMessage,
    ServerFirstMessage,
)
from kreactor.jdk.sasl import SaslException

VALID_EXTENSIONS = (
    "ext=val1", "anotherext=name1=value1 name2=another test value \"\'!$[]()",
    "first=val1,second=name1 = value ,third=123")
INVALID_EXTENSIONS = ("ext1=value", "ext", "ext=value1,value2", "ext=,", "ext =value")
VALID_RESERVED = ("m=reserved-value", "m=name1=value1 name2=another test value \"\'!$[]()")
INVALID_RESERVED = ("m", "m=name,value", "m=,")

NONCE = ScramFormatter.secure_random_string()


def random_bytes_as_string():
    return base64.b64encode(ScramFormatter.secure_random_bytes()).decode()


def check_client_first(text, sasl_name, nonce=NONCE, authorization_id=""):
    message = ClientFirstMessage.parse(text.encode()) if isinstance(text, str) else text
    assert (message.sasl_name(), message.nonce(), message.authorization_id()) == (
        sasl_name, nonce, authorization_id)
    return message


def check_invalid(message_class, text):
    with pytest.raises(SaslException, match="^Invalid SCRAM") as e:
        message_class.parse(text.encode())
    assert NONCE not in str(e.value)


def test_valid_client_first_message():
    check_client_first(ClientFirstMessage("someuser", NONCE, {}), "someuser")

    message = check_client_first(f"n,,n=testuser,r={NONCE}", "testuser")
    check_client_first(message.to_bytes().decode(), "testuser")

    message = check_client_first(f"n,,n=test=2Cuser,r={NONCE}", "test=2Cuser")
    assert ScramFormatter.username(message.sasl_name()) == "test,user"
    message = check_client_first(f"n,,n=test=3Duser,r={NONCE}", "test=3Duser")
    assert ScramFormatter.username(message.sasl_name()) == "test=user"

    check_client_first(f"n,a=testauthzid,n=testuser,r={NONCE}", "testuser", authorization_id="testauthzid")
    for reserved in VALID_RESERVED:
        check_client_first(f"n,,{reserved},n=testuser,r={NONCE}", "testuser")
    for extension in VALID_EXTENSIONS:
        check_client_first(f"n,,n=testuser,r={NONCE},{extension}", "testuser")

    message = check_client_first(f"n,,n=testuser,r={NONCE},tokenauth=true", "testuser")
    assert message.extensions().token_authenticated()


@pytest.mark.deviation("D183")
def test_invalid_client_first_message():
    check_invalid(ClientFirstMessage, f"n,x=something,n=testuser,r={NONCE}")
    for reserved in INVALID_RESERVED:
        check_invalid(ClientFirstMessage, f"n,,{reserved},n=testuser,r={NONCE}")
    for extension in INVALID_EXTENSIONS:
        check_invalid(ClientFirstMessage, f"n,,n=testuser,r={NONCE},{extension}")


def check_server_first(message, nonce, salt, iterations):
    assert (message.nonce(), message.salt(), message.iterations()) == (
        nonce, base64.b64decode(salt), iterations)


def test_valid_server_first_message():
    server_nonce = ScramFormatter.secure_random_string()
    nonce, salt = NONCE + server_nonce, random_bytes_as_string()

    check_server_first(ServerFirstMessage(NONCE, server_nonce, base64.b64decode(salt), 8192),
                       nonce, salt, 8192)
    message = ServerFirstMessage.parse(f"r={nonce},s={salt},i=4096".encode())
    check_server_first(message, nonce, salt, 4096)
    check_server_first(ServerFirstMessage.parse(message.to_bytes()), nonce, salt, 4096)
    for reserved in VALID_RESERVED:
        check_server_first(ServerFirstMessage.parse(f"{reserved},r={nonce},s={salt},i=4096".encode()),
                           nonce, salt, 4096)
    for extension in VALID_EXTENSIONS:
        check_server_first(ServerFirstMessage.parse(f"r={nonce},s={salt},i=4096,{extension}".encode()),
                           nonce, salt, 4096)


def test_invalid_server_first_message():
    salt = random_bytes_as_string()
    for iterations in (0, 2**31, 10**99):
        check_invalid(ServerFirstMessage, f"r={NONCE},s={salt},i={iterations}")
    check_invalid(ServerFirstMessage, f"r={NONCE},s==123,i=4096")
    check_invalid(ServerFirstMessage, f"r={NONCE},invalid,s={salt},i=4096")
    for reserved in INVALID_RESERVED:
        check_invalid(ServerFirstMessage, f"{reserved},r={NONCE},s={salt},i=4096")
    for extension in INVALID_EXTENSIONS:
        check_invalid(ServerFirstMessage, f"r={NONCE},s={salt},i=4096,{extension}")


def check_client_final(message, channel_binding, proof):
    assert (message.channel_binding(), message.nonce(), message.proof()) == (
        base64.b64decode(channel_binding), NONCE, base64.b64decode(proof))


def test_valid_client_final_message():
    channel_binding, proof = random_bytes_as_string(), random_bytes_as_string()

    message = ClientFinalMessage(base64.b64decode(channel_binding), NONCE)
    assert not message.proof()
    message.set_proof(base64.b64decode(proof))
    check_client_final(message, channel_binding, proof)

    message = ClientFinalMessage.parse(f"c={channel_binding},r={NONCE},p={proof}".encode())
    check_client_final(message, channel_binding, proof)
    check_client_final(ClientFinalMessage.parse(message.to_bytes()), channel_binding, proof)
    for extension in VALID_EXTENSIONS:
        check_client_final(
            ClientFinalMessage.parse(f"c={channel_binding},r={NONCE},{extension},p={proof}".encode()),
            channel_binding, proof)


def test_invalid_client_final_message():
    channel_binding, proof = random_bytes_as_string(), random_bytes_as_string()
    check_invalid(ClientFinalMessage, f"c=ab,r={NONCE},p={proof}")
    check_invalid(ClientFinalMessage, f"c={channel_binding},r={NONCE},p=123")
    for extension in INVALID_EXTENSIONS:
        check_invalid(ClientFinalMessage, f"c={channel_binding},r={NONCE},{extension},p={proof}")


def check_server_final(message, error, server_signature):
    assert message.error() == error
    assert message.server_signature() == (
        None if server_signature is None else base64.b64decode(server_signature))


def test_valid_server_final_message():
    signature = random_bytes_as_string()

    check_server_final(ServerFinalMessage("unknown-user", None), "unknown-user", None)
    check_server_final(ServerFinalMessage(None, base64.b64decode(signature)), None, signature)

    for text, error, expected in ((f"v={signature}", None, signature),
                                  ("e=other-error", "other-error", None)):
        message = ServerFinalMessage.parse(text.encode())
        check_server_final(message, error, expected)
        check_server_final(ServerFinalMessage.parse(message.to_bytes()), error, expected)
    for extension in VALID_EXTENSIONS:
        check_server_final(ServerFinalMessage.parse(f"v={signature},{extension}".encode()), None, signature)


def test_invalid_server_final_message():
    signature = random_bytes_as_string()
    check_invalid(ServerFinalMessage, "e=error1,error2")
    check_invalid(ServerFinalMessage, "v=1=23")
    for extension in INVALID_EXTENSIONS:
        check_invalid(ServerFinalMessage, f"v={signature},{extension}")
        check_invalid(ServerFinalMessage, f"e=unknown-user,{extension}")
