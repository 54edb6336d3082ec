# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``python -m kreactor`` is the ``kreactor`` command."""

from kreactor.cli import main

main(prog_name="kreactor")
