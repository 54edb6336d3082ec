# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.SelectorTest of Apache Kafka 0.10.1.1,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The cases of 0.10.2.2, which are those of this tag, against the selector of 0.10.1."""

from __future__ import annotations

from typing import Any

import pytest

from kreactor.editions.v0_10_1.common.network.channel_builder import ChannelBuilder
from kreactor.editions.v0_10_1.common.network.selector import Selector
from tests.editions.v0_10_2.common.network import test_selector

globals().update({name: value for name, value in vars(test_selector).items()
                  if name.startswith("test_")
                  or name in ("server", "time", "parts", "metrics", "selector")})


@pytest.fixture
def edition() -> Any:
    return Selector, ChannelBuilder
