# Licensed under the Apache License, Version 2.0; see LICENSE.
"""KafkaProducer, which writes records to Kafka, and its public types."""
