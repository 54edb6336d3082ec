# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Shows a client's reaction to a lost response: the broker closes the connection instead of responding."""
from kafka import KafkaProducer

from kreactor.testing import Broker, Close

with Broker(topics=["orders"]) as broker:
    rule = broker.faults.add(Close(), api="Produce", first=2)
    producer = KafkaProducer(bootstrap_servers=broker.bootstrap_servers, client_id="billing")
    producer.send("orders", b"order 1").get()
    producer.close()
    requests = broker.requests(client_id="billing", api="Produce")
    print(f"{len(requests)} requests, {rule.hits} without an answer")
    print(f"{len(broker.records('orders'))} record")
