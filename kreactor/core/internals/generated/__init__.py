# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The records of the coordinator of transactions, made by ``tools/generate_messages``."""
