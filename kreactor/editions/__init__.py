# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Full ports of Kafka's older network layers, beside the port of 3.8.0. No lower package imports them."""
