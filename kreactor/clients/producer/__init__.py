# Licensed under the Apache License, Version 2.0; see LICENSE.
"""What writes records to Kafka: KafkaProducer, and what its users meet."""
