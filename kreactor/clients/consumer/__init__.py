# Licensed under the Apache License, Version 2.0; see LICENSE.
"""What a producer has to know of consumers: the group and the offsets that a transaction commits."""
