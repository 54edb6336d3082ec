# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Word counts with FastStream over aiokafka: each word leads to a record with its count so far."""

from __future__ import annotations

import asyncio
import os
from collections import Counter

from faststream import FastStream
from faststream.kafka import KafkaBroker

broker = KafkaBroker(os.environ["BOOTSTRAP_SERVERS"])
app = FastStream(broker)
counts: Counter[str] = Counter()


@broker.subscriber(os.environ["LINES"], group_id="faststream", auto_offset_reset="earliest")
async def count(line: str) -> None:
    for word in line.split():
        counts[word] += 1
        await broker.publish(str(counts[word]), os.environ["COUNTS"], key=word.encode())


if __name__ == "__main__":
    asyncio.run(app.run())
