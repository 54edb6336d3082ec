# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.compress``: the codecs of batches. Codecs that Python lacks are an extra."""
