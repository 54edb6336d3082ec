# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The origin of an append, which decides how much of it is validated."""

from __future__ import annotations

from enum import Enum


class AppendOrigin(Enum):
    """The names are Kafka's, which has more: nobody replicates here."""

    # A coordinator of this node: epochs are judged, sequence numbers are not; may write control records.
    COORDINATOR = "coordinator"
    # Anybody: all is judged.
    CLIENT = "client"
