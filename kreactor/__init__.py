# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Apache Kafka 3.8.0's network layer in Python, on the stdlib ``selectors`` module and threads.

pytest loads this module for its plugin, and has nothing to do here: PYTEST_DONT_REWRITE.
"""

__version__ = "0.1.0"
