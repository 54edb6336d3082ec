# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import pytest

from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.jdk.exceptions import IllegalArgumentException


def test_security_protocol() -> None:
    assert SecurityProtocol.names() == ["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]
    for id_, protocol in enumerate(SecurityProtocol):
        assert protocol.id() == id_
        assert SecurityProtocol.for_id(id_) is protocol
        assert SecurityProtocol.for_name(protocol.name.lower()) is protocol
        assert str(protocol) == protocol.name
    assert SecurityProtocol.for_id(4) is None
    with pytest.raises(IllegalArgumentException, match="No enum constant .*SecurityProtocol.TLS"):
        SecurityProtocol.for_name("tls")
