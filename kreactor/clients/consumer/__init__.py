# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The group and the offsets that a producer commits with a transaction."""
