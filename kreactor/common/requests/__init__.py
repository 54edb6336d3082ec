# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.requests``: headers, requests and responses, with one module for each.

``AbstractRequest`` finds a request class by its API: it imports ``<api>_request`` on first use.
``AbstractResponse`` does the same for responses. A new API needs only its two modules and no table.
"""
