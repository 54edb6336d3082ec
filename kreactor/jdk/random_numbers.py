# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.util.concurrent.ThreadLocalRandom``: random numbers for any thread, from kreactor's own generator.

Python's ``random`` has one generator for the whole process. A user's test that seeds it counts on its next
number, so a broker in the same process must not draw from it. Nothing outside this module imports ``random``.

``RANDOM`` is the generator of all that needs no other. The system seeds it, and again in the child of a
fork. A reader of enough numbers foresees the next ones: secrets come from ``secrets``.
"""

from __future__ import annotations

import os
from random import Random

__all__ = ["RANDOM", "Random"]

RANDOM = Random()

if hasattr(os, "register_at_fork"):
    # Otherwise parent and child would go on with the same numbers.
    os.register_at_fork(after_in_child=RANDOM.seed)
