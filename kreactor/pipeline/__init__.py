# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Reads request logs: Kafka's ``kafka.request.logger`` at debug, on Spark. Ours; not a port.

``ingest`` makes a table of a log, ``latency`` says where the time went, ``check`` whether the broker kept its
word, ``report`` shows both. Nothing here is imported by the broker, and pyspark only once a command runs.
"""
