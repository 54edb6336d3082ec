# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Tests any broker's network layer by its bytes: ``kreactor conformance HOST:PORT``.

This package imports nothing of the port, because the port is one of the tested brokers.
"""
