# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka's ``core``: the broker's own code, written in Scala there."""
