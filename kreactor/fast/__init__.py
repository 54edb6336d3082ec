# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The network layer made fast for one interpreter: subclasses of the port, which knows nothing of them."""
