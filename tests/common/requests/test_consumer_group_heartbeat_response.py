# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The errors that a response to a heartbeat of a consumer group counts."""

from __future__ import annotations

import pytest

from kreactor.common.message.consumer_group_heartbeat_response_data import ConsumerGroupHeartbeatResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.consumer_group_heartbeat_response import ConsumerGroupHeartbeatResponse


@pytest.mark.parametrize("code, error, warnings", [
    (0, Errors.NONE, []),
    (25, Errors.UNKNOWN_MEMBER_ID, []),
    # Kafka's for a regular expression that cannot be parsed, since 4.0.
    (128, Errors.INVALID_REQUEST, []),
    (129, Errors.UNKNOWN_SERVER_ERROR, ["Unknown error code 129"]),
])
def test_error_counts(code: int, error: Errors, warnings: list[str],
                      caplog: pytest.LogCaptureFixture) -> None:
    response = ConsumerGroupHeartbeatResponse(ConsumerGroupHeartbeatResponseData(error_code=code))
    assert (response.error_counts(), caplog.messages) == ({error: 1}, warnings)
