# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Full ports of older network layers of Kafka, beside that of 3.8.0. Nothing below imports them."""
