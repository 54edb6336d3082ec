# Licensed under the Apache License, Version 2.0; see LICENSE.
"""All clients at once on one broker: each writes, and each reads what all of them are writing."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from tests import longer
from tests.clients.broker_process import BrokerProcess
from tests.clients.checks import check
from tests.clients.client import PARTITIONS
from tests.clients.clients import INSTALLED
from tests.clients.load import Load

RECORDS = longer.examples(40_000, 200_000)


def test_many_records(broker: BrokerProcess, topic: str) -> None:
    clients = [each(broker.address) for each in INSTALLED]
    # Each client writes as much to each partition.
    number = RECORDS // len(clients) // len(PARTITIONS) * len(PARTITIONS) * len(clients)
    counts = {partition: number // len(PARTITIONS) for partition in PARTITIONS}
    with ExitStack() as stack:
        readers = [stack.enter_context(client.tail(topic, counts)) for client in clients]
        pool = stack.enter_context(ThreadPoolExecutor(len(clients)))
        load = stack.enter_context(Load(clients, topic, number, idempotent=True))
        started = time.monotonic()
        reading = [pool.submit(reader) for reader in readers]
        written = load.result()
        seconds = time.monotonic() - started
        print(f"{number / seconds:,.0f} records/s written and acknowledged, with all clients reading them")
        for each in reading:
            check(each.result(), written)
        seconds = time.monotonic() - started
        print(f"{number * len(clients) / seconds:,.0f} records/s read meanwhile, by all clients together")
