# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of parts of kafka.tools.StorageToolTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The users of SCRAM that a broker begins with."""

from __future__ import annotations

import pytest

from kreactor.common.security.scram.internals.scram_formatter import ScramFormatter
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.core.tools.storage_tool import TerseFailure, get_user_scram_credential_records

SALT = 'salt="MWx2NHBkbnc0ZndxN25vdGN4bTB5eTFrN3E="'
SALTED = 'saltedpassword="mT0yyUUxnlJaC99HXgRTSYlbuqa4FSGtJCJfTMvjYCE="'


@pytest.mark.deviation("D188")
def test_add_scram() -> None:
    assert get_user_scram_credential_records([]) == []
    alice, george = get_user_scram_credential_records([
        f"SCRAM-SHA-256=[name=alice,{SALT},{SALTED},iterations=8192]",
        f"SCRAM-SHA-256=[name=george,{SALT},{SALTED},iterations=8192]"])
    assert (alice.name, george.name) == ("alice", "george")
    assert alice.credential.iterations() == 8192 and alice.credential.salt().startswith(b"1lv4")

    for options, iterations in (("iterations=4096", 4096), ("iterations=5000", 5000),
                                (f"{SALT},iterations=16384", 16384), (f"{SALT},iterations=4096", 4096),
                                (SALT, 4096)):
        record, = get_user_scram_credential_records(
            [f" SCRAM-SHA-512=[name=alice,password=alice,{options}]\n"])
        assert record.mechanism is ScramMechanism.SCRAM_SHA_512
        credential, formatter = record.credential, ScramFormatter(record.mechanism)
        assert credential.iterations() == iterations
        salted = formatter.salted_password("alice", credential.salt(), iterations)
        assert credential.stored_key() == formatter.stored_key(formatter.client_key(salted))
        assert "ScramCredential object" not in repr(record)


@pytest.mark.deviation("D188")
@pytest.mark.parametrize(("text", "message"), [
    (f"SCRAM-SHA-256=[{SALT},{SALTED},iterations=8192]", "You must supply 'name' to add-scram"),
    (f"SCRAM-SHA-256=[name=alice,{SALT},password=sEcret,{SALTED},iterations=8192]",
     "You must only supply one of 'password' or 'saltedpassword' to add-scram"),
    (f"SCRAM-SHA-256=[name=alice,{SALT},iterations=8192]",
     "You must supply one of 'password' or 'saltedpassword' to add-scram"),
    (f"SCRAM-SHA-256=[name=alice,{SALTED},iterations=8192]",
     "You must supply 'salt' with 'saltedpassword' to add-scram"),
    (f"SCRAM-SHA-256=[name=alice,{SALT},password=sEcret,iterations=16385]",
     "The 'iterations' value must be <= 16384 for add-scram"),
    (f"SCRAM-SHA-256=[name=alice,{SALT},password=sEcret,iterations=4095]",
     "The 'iterations' value must be >= 4096 for add-scram"),
    ("SCRAM-SHA-256=[name=alice,password=]", "The 'password' value must not be empty for add-scram"),
    ("SCRAM-SHA-256=[name=alice,password=sEcret,salt=sEcret]",
     "The 'salt' value is not Base64 for add-scram"),
    ("PLAIN=[name=alice,password=sEcret]", "The add-scram mechanism is not supported"),
    ("sEcret", "The add-scram mechanism is not supported"),
    ("SCRAM-SHA-256=name=alice,password=sEcret", "add-scram takes SCRAM-SHA-256="),
    ("SCRAM-SHA-256=[name=alice,password=a,sEcret]", "no value has a comma"),
    ("SCRAM-SHA-256", "add-scram takes SCRAM-SHA-256="),
])
def test_what_cannot_be_is_told_without_a_password(text: str, message: str) -> None:
    with pytest.raises(TerseFailure) as e:
        get_user_scram_credential_records([text])
    assert message in str(e.value) and "sEcret" not in str(e.value)
