# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A broker in a process that may open few descriptors more. Run by ``test_faults``.

Prints its port, serves until its input ends, waits until nothing of its clients is left, then ``stopped``.
The log goes to the standard error.
"""

from __future__ import annotations

import logging
import os
import resource
import sys

from tests.core.server.bench import Bench, wait_for_nothing_left

LEFT = 6


def is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def main() -> None:
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(message)s")
    with Bench(sys.argv[1]) as bench:
        wait_for_nothing_left(bench.broker)
        limit = [number for number in range(200) if not is_open(number)][LEFT]
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
        print(bench.broker.bound_port("PLAINTEXT"), flush=True)
        sys.stdin.read()
        wait_for_nothing_left(bench.broker)
    print("stopped", flush=True)


if __name__ == "__main__":
    main()
