# Licensed under the Apache License, Version 2.0; see LICENSE.
"""What talks to brokers: NetworkClient and what it needs, producers above it, and a reader of ours."""
