# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Clients of brokers: NetworkClient with its parts, KafkaProducer, and kreactor's own TopicReader."""
