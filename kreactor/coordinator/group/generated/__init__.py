# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The records of the topic that groups are kept in; written by tools/checks/generate_messages."""
