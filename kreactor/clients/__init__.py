# Licensed under the Apache License, Version 2.0; see LICENSE.
"""What talks to brokers. So far ours, one request at a time: where NetworkClient will take over."""
