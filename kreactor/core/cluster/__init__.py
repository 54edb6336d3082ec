# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``kafka.cluster``: a broker's partitions, and the addresses that it listens on and advertises."""
