# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import pytest

from kreactor.common.errors import SerializationException
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.authenticator.default_kafka_principal_builder import (
    DefaultKafkaPrincipalBuilder,
)

NOT_APPLICABLE = {
    "testPrincipalIfSSLPeerIsNotAuthenticated": "comes with SSL",
    "testPrincipalWithSslPrincipalMapper": "comes with SSL",
    "testPrincipalBuilderScram": "comes with SASL",
    "testPrincipalBuilderGssapi": "comes with SASL",
}


def test_principal_builder_serde():
    builder = DefaultKafkaPrincipalBuilder()
    principal = KafkaPrincipal(KafkaPrincipal.USER_TYPE, "foo")
    assert builder.deserialize(builder.serialize(principal)) == principal
    of_token = KafkaPrincipal(KafkaPrincipal.USER_TYPE, "foo", True)
    restored = builder.deserialize(builder.serialize(of_token))
    assert restored == of_token and restored.token_authenticated()


def test_a_principal_of_another_version_is_refused():
    builder = DefaultKafkaPrincipalBuilder()
    data = b"\x00\x63" + builder.serialize(KafkaPrincipal.ANONYMOUS)[2:]
    with pytest.raises(SerializationException, match="Invalid principal data version 99"):
        builder.deserialize(data)
