# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Word counts with bytewax: a dataflow from a topic into a topic, with a count for each word as its state."""

from __future__ import annotations

import os
from datetime import timedelta

from bytewax import operators as op
from bytewax.connectors.kafka import KafkaSink, KafkaSinkMessage, KafkaSource, KafkaSourceMessage
from bytewax.dataflow import Dataflow
from bytewax.testing import cluster_main


def words(message: KafkaSourceMessage[bytes, bytes]) -> list[tuple[str, str]]:
    return [(word, word) for word in message.value.decode().split()]


def count(number: int | None, word: str) -> tuple[int, str]:
    number = (number or 0) + 1
    return number, str(number)


def message(counted: tuple[str, str]) -> KafkaSinkMessage[bytes, bytes]:
    word, number = counted
    return KafkaSinkMessage(word.encode(), number.encode())


brokers = [os.environ["BOOTSTRAP_SERVERS"]]
flow = Dataflow("words")
lines = op.input("lines", flow, KafkaSource(brokers, [os.environ["LINES"]]))
numbers = op.stateful_map("count", op.flat_map("words", lines, words), count)
op.output("counts", op.map("message", numbers, message), KafkaSink(brokers, os.environ["COUNTS"]))

if __name__ == "__main__":
    cluster_main(flow, [], 0, epoch_interval=timedelta(seconds=1))
