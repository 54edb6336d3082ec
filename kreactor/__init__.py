# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Apache Kafka 3.8.0's network layer in Python, on the stdlib ``selectors`` module and threads.

pytest imports this module before its plugin. The word PYTEST_DONT_REWRITE keeps its assertions as they are.
"""

__version__ = "0.1.0"
