# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``kafka.cluster``: the addresses that a broker listens on and advertises."""
