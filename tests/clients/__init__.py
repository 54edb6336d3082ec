# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Clients that others wrote, against a broker: what they write is what everybody reads."""
