# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A conversation with a broker, as ``conversation``: about the users of SCRAM.

``hold`` leads it and leaves nothing behind. ``python -m tests.core.server.scram_conversation HOST:PORT``
writes the answers of Kafka's broker anew.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Callable

from kreactor.common.message.alter_user_scram_credentials_request_data import (
    AlterUserScramCredentialsRequestData,
)
from kreactor.common.message.describe_user_scram_credentials_request_data import (
    DescribeUserScramCredentialsRequestData,
)
from kreactor.common.protocol.api_keys import ApiKeys
from tests.core.server.conversation import Answers, Conversation, connector, read_answers, record_answers
from tests.core.server.wire import Wire

RECORDED = os.path.join(os.path.dirname(__file__), "scram_answers_3_8_0.json")

UNKNOWN, SHA_256, SHA_512 = range(3)

Deletion = AlterUserScramCredentialsRequestData.ScramCredentialDeletion
Upsertion = AlterUserScramCredentialsRequestData.ScramCredentialUpsertion


def deletion(name: str, mechanism: int = SHA_256) -> Deletion:
    return Deletion(name=name, mechanism=mechanism)


def upsertion(name: str, mechanism: int = SHA_256, iterations: int = 4096, salt: bytes = b"salt",
              salted_password: bytes = b"salted password") -> Upsertion:
    return Upsertion(name=name, mechanism=mechanism, iterations=iterations, salt=salt,
                     salted_password=salted_password)


def alteration(*alterations: Deletion | Upsertion) -> AlterUserScramCredentialsRequestData:
    """Return the request for deletions and upsertions."""
    return AlterUserScramCredentialsRequestData(
        deletions=[each for each in alterations if isinstance(each, Deletion)],
        upsertions=[each for each in alterations if isinstance(each, Upsertion)])


def description(*users: str) -> DescribeUserScramCredentialsRequestData:
    """Return the request for users."""
    return DescribeUserScramCredentialsRequestData(
        users=[DescribeUserScramCredentialsRequestData.UserName(name=user) for user in users])


def hold(connect: Callable[[], Wire], prefix: str, settle: Callable[[], None] = lambda: None) -> Answers:
    """Lead the conversation and return the answers; ``settle`` waits until a change has been heard of."""
    talk = Conversation(connect, prefix)
    a, b, c, odd = (talk.topic(name) for name in ("a", "b", "c@d.e", "ü,=\u2028"))

    def alter(label: str, *alterations: Deletion | Upsertion) -> None:
        talk.ask(label, ApiKeys.ALTER_USER_SCRAM_CREDENTIALS, 0, alteration(*alterations))
        settle()
        talk.ask(f"after {label}", ApiKeys.DESCRIBE_USER_SCRAM_CREDENTIALS, 0, description(a, b, c, odd))

    try:
        alter("nothing")
        alter("users", upsertion(a), upsertion(b, SHA_512, 8192), upsertion(c, SHA_512, 16384),
              upsertion(odd))
        alter("a second mechanism", upsertion(a, SHA_512, 5000))
        alter("other iterations", upsertion(a, SHA_512, 16384))
        alter("one of two", deletion(a))
        alter("the same thing twice", deletion(a, SHA_512), deletion(a, SHA_512), upsertion(b), upsertion(b))
        alter("deleted and kept", deletion(a, SHA_512), upsertion(a), deletion(b, SHA_512), upsertion(b))
        alter("three times", deletion(a, SHA_512), deletion(a, SHA_512), deletion(a, SHA_512))
        alter("both mechanisms at once", upsertion(a), upsertion(a, SHA_512))
        alter("no name", deletion(""), upsertion(""))
        alter("no name twice", deletion(""), deletion(""))
        alter("unknown mechanisms", deletion(a, UNKNOWN), deletion(a), deletion(b, 10), upsertion(c, UNKNOWN),
              upsertion(c), upsertion(odd, -1))
        alter("no name and an unknown mechanism", upsertion("", 77))
        alter("too few iterations", upsertion(a, SHA_256, 4095), upsertion(b, SHA_512, 0),
              upsertion(c, SHA_512, -1))
        alter("too many iterations", upsertion(a, SHA_256, 16385), upsertion(b, SHA_512, 2**31 - 1))
        alter("unknown users", deletion(talk.topic("x")), deletion(a))
        alter("no salt", upsertion(a, salt=b""))
        alter("no salted password", upsertion(a, SHA_512, salted_password=b""))
        alter("some of it", upsertion(a), upsertion(b, 9), deletion(c))
        for label, users in (("twice", (a, a)), ("three times", (a, a, a)), ("unknown", (talk.topic("x"),)),
                             ("no name", ("",)), ("all sorts", (a, b, b, "", talk.topic("x")))):
            talk.ask(label, ApiKeys.DESCRIBE_USER_SCRAM_CREDENTIALS, 0, description(*users))
        alter("the end", *(deletion(user, mechanism) for user, mechanism in (
            (a, SHA_256), (b, SHA_512), (c, SHA_512), (odd, SHA_256))))
        alter("the very end", deletion(a, SHA_512))
    finally:
        talk.close()
    return talk.answers


def read_recorded() -> Answers:
    """Return the answers of Kafka 3.8.0 in KRaft mode."""
    return read_answers(RECORDED)


# How long a live broker may take to hear of a change.
LIVE_SETTLE_S = 0.15

if __name__ == "__main__":
    record_answers(RECORDED, hold(connector(sys.argv[1]), f"record_{os.getpid()}_",
                                  lambda: time.sleep(LIVE_SETTLE_S)))
