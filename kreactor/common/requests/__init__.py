# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.requests``: headers, requests and responses, a module for each.

A request is found by its API: ``AbstractRequest`` imports ``<api>_request`` when it first meets one, and a
response likewise. An API is added by adding its two modules; no table has to know them.
"""
