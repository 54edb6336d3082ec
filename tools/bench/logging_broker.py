# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Runs `kreactor` with Kafka's request logger enabled, which writes to a file.

    python -m tools.bench.logging_broker FILE serve ...
"""

from __future__ import annotations

import logging
import sys

from kreactor.cli import main

if __name__ == "__main__":
    to_file = logging.FileHandler(sys.argv.pop(1))
    to_file.setFormatter(logging.Formatter("[%(asctime)s] %(levelname)s %(message)s (%(name)s)"))
    requests = logging.getLogger("kafka.request.logger")
    requests.addHandler(to_file)
    requests.setLevel(logging.DEBUG)
    requests.propagate = False
    main(prog_name="kreactor")
