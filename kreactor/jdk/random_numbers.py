# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.util.concurrent.ThreadLocalRandom``: random numbers for any thread, from kreactor's own generator.

Python's ``random`` has one generator for the whole process. A user's test that seeds this generator relies on
its next number, so a broker in the same process must not use it. No other module of kreactor imports
``random``.

``RANDOM`` is the default generator. The system seeds it, and seeds it again in a forked child. Enough of its
numbers reveal the next ones, so secrets come from ``secrets``.
"""

from __future__ import annotations

import os
from random import Random

__all__ = ["RANDOM", "Generator", "Random"]


class Generator(Random):
    """``Random``, whose two sources of numbers ``floor.standing_on`` may replace."""


RANDOM = Generator()

if hasattr(os, "register_at_fork"):
    # Otherwise parent and child would produce the same numbers.
    os.register_at_fork(after_in_child=RANDOM.seed)
