# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Word counts with Faust: the counts are a table, whose changelog is a compacted topic."""

from __future__ import annotations

import os
import sys

import faust

app = faust.App(
    "faust", broker="kafka://" + os.environ["BOOTSTRAP_SERVERS"], topic_partitions=1, web_enabled=False,
    consumer_auto_offset_reset="earliest", datadir=os.environ["STATE"])
lines = app.topic(os.environ["LINES"], value_type=bytes, value_serializer="raw")
raw = {"key_type": bytes, "value_type": bytes, "key_serializer": "raw", "value_serializer": "raw"}
by_word = app.topic("faust-words", internal=True, partitions=1, **raw)
counted = app.topic(os.environ["COUNTS"], **raw)
counts = app.Table("counts", default=int, partitions=1)


@app.agent(lines)
async def split(stream: faust.Stream[bytes]) -> None:
    async for line in stream:
        for word in line.split():
            await by_word.send(key=word, value=word)


@app.agent(by_word)
async def count(stream: faust.Stream[bytes]) -> None:
    async for word in stream:
        counts[word.decode()] += 1
        await counted.send(key=word, value=str(counts[word.decode()]).encode())


if __name__ == "__main__":
    sys.argv[1:] = ["worker", "--loglevel", "info"]
    app.main()
