# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Judges any broker's network layer by its bytes: ``kreactor conformance HOST:PORT``.

A floor of its own. Nothing here imports the port, because the port is one of the brokers that are judged.
"""
