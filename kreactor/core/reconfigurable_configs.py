# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Which settings the parts of a broker take while they run.

DEVIATION D64: in Kafka each set is in the companion of the class that it is about. Here they stand below
both ``kreactor.core.network`` and ``kreactor.core.server``, which otherwise would import each other.
"""

from __future__ import annotations

from kreactor.network.socket_server_configs import SocketServerConfigs
from kreactor.server.config.server_configs import ServerConfigs
from kreactor.storage.internals.log.cleaner_config import CleanerConfig

# :origin: kafka.network.SocketServer#ReconfigurableConfigs
SOCKET_SERVER_RECONFIGURABLE_CONFIGS = frozenset((
    SocketServerConfigs.MAX_CONNECTIONS_PER_IP_CONFIG,
    SocketServerConfigs.MAX_CONNECTIONS_PER_IP_OVERRIDES_CONFIG,
    SocketServerConfigs.MAX_CONNECTIONS_CONFIG,
    SocketServerConfigs.MAX_CONNECTION_CREATION_RATE_CONFIG,
))

# :origin: kafka.network.SocketServer#ListenerReconfigurableConfigs
SOCKET_SERVER_LISTENER_RECONFIGURABLE_CONFIGS = frozenset((
    SocketServerConfigs.MAX_CONNECTIONS_CONFIG,
    SocketServerConfigs.MAX_CONNECTION_CREATION_RATE_CONFIG,
))

# :origin: kafka.network.DataPlaneAcceptor#ListenerReconfigurableConfigs
DATA_PLANE_ACCEPTOR_LISTENER_RECONFIGURABLE_CONFIGS = frozenset((ServerConfigs.NUM_NETWORK_THREADS_CONFIG,))

# :origin: kafka.log.LogCleaner#ReconfigurableConfigs
LOG_CLEANER_RECONFIGURABLE_CONFIGS = frozenset((
    CleanerConfig.LOG_CLEANER_THREADS_PROP,
    CleanerConfig.LOG_CLEANER_DEDUPE_BUFFER_SIZE_PROP,
    CleanerConfig.LOG_CLEANER_DEDUPE_BUFFER_LOAD_FACTOR_PROP,
    CleanerConfig.LOG_CLEANER_IO_BUFFER_SIZE_PROP,
    ServerConfigs.MESSAGE_MAX_BYTES_CONFIG,
    CleanerConfig.LOG_CLEANER_IO_MAX_BYTES_PER_SECOND_PROP,
    CleanerConfig.LOG_CLEANER_BACKOFF_MS_PROP,
))
