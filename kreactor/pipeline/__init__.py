# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Reads request logs:

Kafka's ``kafka.request.logger`` at debug, on Spark. Not a port. ``ingest`` makes a table of a log,
``latency`` shows where the time went, ``check`` checks the broker's rules, ``report`` shows both. The broker
imports nothing of this package, and pyspark is imported only when a command runs.
"""
