# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.protocol.Errors of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The error codes of the protocol, and the exception of each.

Responses carry the texts, so they are Kafka's own.
"""

from __future__ import annotations

from enum import Enum

from kreactor.common import errors
from kreactor.common.errors import ApiException
from kreactor.common.invalid_record_exception import InvalidRecordException
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.text import class_name

log = LogContext().logger(f"{__name__}.Errors")


class CompletionException(RuntimeError):
    """The class of ``java.util.concurrent``: a stage of a future failed with the cause."""


class ExecutionException(Exception):
    """The class of ``java.util.concurrent``: the task of a future failed with the cause."""


class Errors(Enum):
    """An error with its code on the wire, its exception and its text. Compared by identity.

    :origin: common.protocol.Errors
    """

    UNKNOWN_SERVER_ERROR = (
        -1, errors.UnknownServerException,
        "The server experienced an unexpected error when processing the request.")
    NONE = (0, None, None)
    OFFSET_OUT_OF_RANGE = (
        1, errors.OffsetOutOfRangeException,
        "The requested offset is not within the range of offsets maintained by the server.")
    CORRUPT_MESSAGE = (
        2, errors.CorruptRecordException,
        "This message has failed its CRC checksum, exceeds the valid size, has a null key for a compacted "
        "topic, or is otherwise corrupt.")
    UNKNOWN_TOPIC_OR_PARTITION = (
        3, errors.UnknownTopicOrPartitionException,
        "This server does not host this topic-partition.")
    INVALID_FETCH_SIZE = (4, errors.InvalidFetchSizeException, "The requested fetch size is invalid.")
    LEADER_NOT_AVAILABLE = (
        5, errors.LeaderNotAvailableException,
        "There is no leader for this topic-partition as we are in the middle of a leadership election.")
    NOT_LEADER_OR_FOLLOWER = (
        6, errors.NotLeaderOrFollowerException,
        "For requests intended only for the leader, this error indicates that the broker is not the current"
        " leader. For requests intended for any replica, this error indicates that the broker is not a "
        "replica of the topic partition.")
    REQUEST_TIMED_OUT = (7, errors.TimeoutException, "The request timed out.")
    BROKER_NOT_AVAILABLE = (8, errors.BrokerNotAvailableException, "The broker is not available.")
    REPLICA_NOT_AVAILABLE = (
        9, errors.ReplicaNotAvailableException,
        "The replica is not available for the requested topic-partition. Produce/Fetch requests and other "
        "requests intended only for the leader or follower return NOT_LEADER_OR_FOLLOWER if the broker is "
        "not a replica of the topic-partition.")
    MESSAGE_TOO_LARGE = (
        10, errors.RecordTooLargeException,
        "The request included a message larger than the max message size the server will accept.")
    STALE_CONTROLLER_EPOCH = (11, errors.ControllerMovedException, "The controller moved to another broker.")
    OFFSET_METADATA_TOO_LARGE = (
        12, errors.OffsetMetadataTooLarge,
        "The metadata field of the offset request was too large.")
    NETWORK_EXCEPTION = (
        13, errors.NetworkException,
        "The server disconnected before a response was received.")
    COORDINATOR_LOAD_IN_PROGRESS = (
        14, errors.CoordinatorLoadInProgressException,
        "The coordinator is loading and hence can't process requests.")
    COORDINATOR_NOT_AVAILABLE = (
        15, errors.CoordinatorNotAvailableException,
        "The coordinator is not available.")
    NOT_COORDINATOR = (16, errors.NotCoordinatorException, "This is not the correct coordinator.")
    INVALID_TOPIC_EXCEPTION = (
        17, errors.InvalidTopicException,
        "The request attempted to perform an operation on an invalid topic.")
    RECORD_LIST_TOO_LARGE = (
        18, errors.RecordBatchTooLargeException,
        "The request included message batch larger than the configured segment size on the server.")
    NOT_ENOUGH_REPLICAS = (
        19, errors.NotEnoughReplicasException,
        "Messages are rejected since there are fewer in-sync replicas than required.")
    NOT_ENOUGH_REPLICAS_AFTER_APPEND = (
        20, errors.NotEnoughReplicasAfterAppendException,
        "Messages are written to the log, but to fewer in-sync replicas than required.")
    INVALID_REQUIRED_ACKS = (
        21, errors.InvalidRequiredAcksException,
        "Produce request specified an invalid value for required acks.")
    ILLEGAL_GENERATION = (
        22, errors.IllegalGenerationException,
        "Specified group generation id is not valid.")
    INCONSISTENT_GROUP_PROTOCOL = (
        23, errors.InconsistentGroupProtocolException,
        "The group member's supported protocols are incompatible with those of existing members or first "
        "group member tried to join with empty protocol type or empty protocol list.")
    INVALID_GROUP_ID = (24, errors.InvalidGroupIdException, "The configured groupId is invalid.")
    UNKNOWN_MEMBER_ID = (25, errors.UnknownMemberIdException, "The coordinator is not aware of this member.")
    INVALID_SESSION_TIMEOUT = (
        26, errors.InvalidSessionTimeoutException,
        "The session timeout is not within the range allowed by the broker (as configured by "
        "group.min.session.timeout.ms and group.max.session.timeout.ms).")
    REBALANCE_IN_PROGRESS = (
        27, errors.RebalanceInProgressException,
        "The group is rebalancing, so a rejoin is needed.")
    INVALID_COMMIT_OFFSET_SIZE = (
        28, errors.InvalidCommitOffsetSizeException,
        "The committing offset data size is not valid.")
    TOPIC_AUTHORIZATION_FAILED = (29, errors.TopicAuthorizationException, "Topic authorization failed.")
    GROUP_AUTHORIZATION_FAILED = (30, errors.GroupAuthorizationException, "Group authorization failed.")
    CLUSTER_AUTHORIZATION_FAILED = (31, errors.ClusterAuthorizationException, "Cluster authorization failed.")
    INVALID_TIMESTAMP = (
        32, errors.InvalidTimestampException,
        "The timestamp of the message is out of acceptable range.")
    UNSUPPORTED_SASL_MECHANISM = (
        33, errors.UnsupportedSaslMechanismException,
        "The broker does not support the requested SASL mechanism.")
    ILLEGAL_SASL_STATE = (
        34, errors.IllegalSaslStateException,
        "Request is not valid given the current SASL state.")
    UNSUPPORTED_VERSION = (35, errors.UnsupportedVersionException, "The version of API is not supported.")
    TOPIC_ALREADY_EXISTS = (36, errors.TopicExistsException, "Topic with this name already exists.")
    INVALID_PARTITIONS = (37, errors.InvalidPartitionsException, "Number of partitions is below 1.")
    INVALID_REPLICATION_FACTOR = (
        38, errors.InvalidReplicationFactorException,
        "Replication factor is below 1 or larger than the number of available brokers.")
    INVALID_REPLICA_ASSIGNMENT = (
        39, errors.InvalidReplicaAssignmentException,
        "Replica assignment is invalid.")
    INVALID_CONFIG = (40, errors.InvalidConfigurationException, "Configuration is invalid.")
    NOT_CONTROLLER = (
        41, errors.NotControllerException,
        "This is not the correct controller for this cluster.")
    INVALID_REQUEST = (
        42, errors.InvalidRequestException,
        "This most likely occurs because of a request being malformed by the client library or the message "
        "was sent to an incompatible broker. See the broker logs for more details.")
    UNSUPPORTED_FOR_MESSAGE_FORMAT = (
        43, errors.UnsupportedForMessageFormatException,
        "The message format version on the broker does not support the request.")
    POLICY_VIOLATION = (
        44, errors.PolicyViolationException,
        "Request parameters do not satisfy the configured policy.")
    OUT_OF_ORDER_SEQUENCE_NUMBER = (
        45, errors.OutOfOrderSequenceException,
        "The broker received an out of order sequence number.")
    DUPLICATE_SEQUENCE_NUMBER = (
        46, errors.DuplicateSequenceException,
        "The broker received a duplicate sequence number.")
    INVALID_PRODUCER_EPOCH = (
        47, errors.InvalidProducerEpochException,
        "Producer attempted to produce with an old epoch.")
    INVALID_TXN_STATE = (
        48, errors.InvalidTxnStateException,
        "The producer attempted a transactional operation in an invalid state.")
    INVALID_PRODUCER_ID_MAPPING = (
        49, errors.InvalidPidMappingException,
        "The producer attempted to use a producer id which is not currently assigned to its transactional "
        "id.")
    INVALID_TRANSACTION_TIMEOUT = (
        50, errors.InvalidTxnTimeoutException,
        "The transaction timeout is larger than the maximum value allowed by the broker (as configured by "
        "transaction.max.timeout.ms).")
    CONCURRENT_TRANSACTIONS = (
        51, errors.ConcurrentTransactionsException,
        "The producer attempted to update a transaction while another concurrent operation on the same "
        "transaction was ongoing.")
    TRANSACTION_COORDINATOR_FENCED = (
        52, errors.TransactionCoordinatorFencedException,
        "Indicates that the transaction coordinator sending a WriteTxnMarker is no longer the current "
        "coordinator for a given producer.")
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED = (
        53, errors.TransactionalIdAuthorizationException,
        "Transactional Id authorization failed.")
    SECURITY_DISABLED = (54, errors.SecurityDisabledException, "Security features are disabled.")
    OPERATION_NOT_ATTEMPTED = (
        55, errors.OperationNotAttemptedException,
        "The broker did not attempt to execute this operation. This may happen for batched RPCs where some "
        "operations in the batch failed, causing the broker to respond without trying the rest.")
    KAFKA_STORAGE_ERROR = (
        56, errors.KafkaStorageException,
        "Disk error when trying to access log file on the disk.")
    LOG_DIR_NOT_FOUND = (
        57, errors.LogDirNotFoundException,
        "The user-specified log directory is not found in the broker config.")
    SASL_AUTHENTICATION_FAILED = (58, errors.SaslAuthenticationException, "SASL Authentication failed.")
    UNKNOWN_PRODUCER_ID = (
        59, errors.UnknownProducerIdException,
        "This exception is raised by the broker if it could not locate the producer metadata associated "
        "with the producerId in question. This could happen if, for instance, the producer's records were "
        "deleted because their retention time had elapsed. Once the last records of the producerId are "
        "removed, the producer's metadata is removed from the broker, and future appends by the producer "
        "will return this exception.")
    REASSIGNMENT_IN_PROGRESS = (
        60, errors.ReassignmentInProgressException,
        "A partition reassignment is in progress.")
    DELEGATION_TOKEN_AUTH_DISABLED = (
        61, errors.DelegationTokenDisabledException,
        "Delegation Token feature is not enabled.")
    DELEGATION_TOKEN_NOT_FOUND = (
        62, errors.DelegationTokenNotFoundException,
        "Delegation Token is not found on server.")
    DELEGATION_TOKEN_OWNER_MISMATCH = (
        63, errors.DelegationTokenOwnerMismatchException,
        "Specified Principal is not valid Owner/Renewer.")
    DELEGATION_TOKEN_REQUEST_NOT_ALLOWED = (
        64, errors.UnsupportedByAuthenticationException,
        "Delegation Token requests are not allowed on PLAINTEXT/1-way SSL channels and on delegation token "
        "authenticated channels.")
    DELEGATION_TOKEN_AUTHORIZATION_FAILED = (
        65, errors.DelegationTokenAuthorizationException,
        "Delegation Token authorization failed.")
    DELEGATION_TOKEN_EXPIRED = (66, errors.DelegationTokenExpiredException, "Delegation Token is expired.")
    INVALID_PRINCIPAL_TYPE = (
        67, errors.InvalidPrincipalTypeException,
        "Supplied principalType is not supported.")
    NON_EMPTY_GROUP = (68, errors.GroupNotEmptyException, "The group is not empty.")
    GROUP_ID_NOT_FOUND = (69, errors.GroupIdNotFoundException, "The group id does not exist.")
    FETCH_SESSION_ID_NOT_FOUND = (
        70, errors.FetchSessionIdNotFoundException,
        "The fetch session ID was not found.")
    INVALID_FETCH_SESSION_EPOCH = (
        71, errors.InvalidFetchSessionEpochException,
        "The fetch session epoch is invalid.")
    LISTENER_NOT_FOUND = (
        72, errors.ListenerNotFoundException,
        "There is no listener on the leader broker that matches the listener on which metadata request was "
        "processed.")
    TOPIC_DELETION_DISABLED = (73, errors.TopicDeletionDisabledException, "Topic deletion is disabled.")
    FENCED_LEADER_EPOCH = (
        74, errors.FencedLeaderEpochException,
        "The leader epoch in the request is older than the epoch on the broker.")
    UNKNOWN_LEADER_EPOCH = (
        75, errors.UnknownLeaderEpochException,
        "The leader epoch in the request is newer than the epoch on the broker.")
    UNSUPPORTED_COMPRESSION_TYPE = (
        76, errors.UnsupportedCompressionTypeException,
        "The requesting client does not support the compression type of given partition.")
    STALE_BROKER_EPOCH = (77, errors.StaleBrokerEpochException, "Broker epoch has changed.")
    OFFSET_NOT_AVAILABLE = (
        78, errors.OffsetNotAvailableException,
        "The leader high watermark has not caught up from a recent leader election so the offsets cannot be"
        " guaranteed to be monotonically increasing.")
    MEMBER_ID_REQUIRED = (
        79, errors.MemberIdRequiredException,
        "The group member needs to have a valid member id before actually entering a consumer group.")
    PREFERRED_LEADER_NOT_AVAILABLE = (
        80, errors.PreferredLeaderNotAvailableException,
        "The preferred leader was not available.")
    GROUP_MAX_SIZE_REACHED = (
        81, errors.GroupMaxSizeReachedException,
        "The consumer group has reached its max size.")
    FENCED_INSTANCE_ID = (
        82, errors.FencedInstanceIdException,
        "The broker rejected this static consumer since another consumer with the same group.instance.id "
        "has registered with a different member.id.")
    ELIGIBLE_LEADERS_NOT_AVAILABLE = (
        83, errors.EligibleLeadersNotAvailableException,
        "Eligible topic partition leaders are not available.")
    ELECTION_NOT_NEEDED = (
        84, errors.ElectionNotNeededException,
        "Leader election not needed for topic partition.")
    NO_REASSIGNMENT_IN_PROGRESS = (
        85, errors.NoReassignmentInProgressException,
        "No partition reassignment is in progress.")
    GROUP_SUBSCRIBED_TO_TOPIC = (
        86, errors.GroupSubscribedToTopicException,
        "Deleting offsets of a topic is forbidden while the consumer group is actively subscribed to it.")
    INVALID_RECORD = (
        87, InvalidRecordException,
        "This record has failed the validation on broker and hence will be rejected.")
    UNSTABLE_OFFSET_COMMIT = (
        88, errors.UnstableOffsetCommitException,
        "There are unstable offsets that need to be cleared.")
    THROTTLING_QUOTA_EXCEEDED = (
        89, errors.ThrottlingQuotaExceededException,
        "The throttling quota has been exceeded.")
    PRODUCER_FENCED = (
        90, errors.ProducerFencedException,
        "There is a newer producer with the same transactionalId which fences the current one.")
    RESOURCE_NOT_FOUND = (
        91, errors.ResourceNotFoundException,
        "A request illegally referred to a resource that does not exist.")
    DUPLICATE_RESOURCE = (
        92, errors.DuplicateResourceException,
        "A request illegally referred to the same resource twice.")
    UNACCEPTABLE_CREDENTIAL = (
        93, errors.UnacceptableCredentialException,
        "Requested credential would not meet criteria for acceptability.")
    INCONSISTENT_VOTER_SET = (
        94, errors.InconsistentVoterSetException,
        "Indicates that the either the sender or recipient of a voter-only request is not one of the "
        "expected voters.")
    INVALID_UPDATE_VERSION = (
        95, errors.InvalidUpdateVersionException,
        "The given update version was invalid.")
    FEATURE_UPDATE_FAILED = (
        96, errors.FeatureUpdateFailedException,
        "Unable to update finalized features due to an unexpected server error.")
    PRINCIPAL_DESERIALIZATION_FAILURE = (
        97, errors.PrincipalDeserializationException,
        "Request principal deserialization failed during forwarding. This indicates an internal error on "
        "the broker cluster security setup.")
    SNAPSHOT_NOT_FOUND = (98, errors.SnapshotNotFoundException, "Requested snapshot was not found.")
    POSITION_OUT_OF_RANGE = (
        99, errors.PositionOutOfRangeException,
        "Requested position is not greater than or equal to zero, and less than the size of the snapshot.")
    UNKNOWN_TOPIC_ID = (100, errors.UnknownTopicIdException, "This server does not host this topic ID.")
    DUPLICATE_BROKER_REGISTRATION = (
        101, errors.DuplicateBrokerRegistrationException,
        "This broker ID is already in use.")
    BROKER_ID_NOT_REGISTERED = (
        102, errors.BrokerIdNotRegisteredException,
        "The given broker ID was not registered.")
    INCONSISTENT_TOPIC_ID = (
        103, errors.InconsistentTopicIdException,
        "The log's topic ID did not match the topic ID in the request.")
    INCONSISTENT_CLUSTER_ID = (
        104, errors.InconsistentClusterIdException,
        "The clusterId in the request does not match that found on the server.")
    TRANSACTIONAL_ID_NOT_FOUND = (
        105, errors.TransactionalIdNotFoundException,
        "The transactionalId could not be found.")
    FETCH_SESSION_TOPIC_ID_ERROR = (
        106, errors.FetchSessionTopicIdException,
        "The fetch session encountered inconsistent topic ID usage.")
    INELIGIBLE_REPLICA = (
        107, errors.IneligibleReplicaException,
        "The new ISR contains at least one ineligible replica.")
    NEW_LEADER_ELECTED = (
        108, errors.NewLeaderElectedException,
        "The AlterPartition request successfully updated the partition state but the leader has changed.")
    OFFSET_MOVED_TO_TIERED_STORAGE = (
        109, errors.OffsetMovedToTieredStorageException,
        "The requested offset is moved to tiered storage.")
    FENCED_MEMBER_EPOCH = (
        110, errors.FencedMemberEpochException,
        "The member epoch is fenced by the group coordinator. The member must abandon all its partitions "
        "and rejoin.")
    UNRELEASED_INSTANCE_ID = (
        111, errors.UnreleasedInstanceIdException,
        "The instance ID is still used by another member in the consumer group. That member must leave "
        "first.")
    UNSUPPORTED_ASSIGNOR = (
        112, errors.UnsupportedAssignorException,
        "The assignor or its version range is not supported by the consumer group.")
    STALE_MEMBER_EPOCH = (
        113, errors.StaleMemberEpochException,
        "The member epoch is stale. The member must retry after receiving its updated member epoch via the "
        "ConsumerGroupHeartbeat API.")
    MISMATCHED_ENDPOINT_TYPE = (
        114, errors.MismatchedEndpointTypeException,
        "The request was sent to an endpoint of the wrong type.")
    UNSUPPORTED_ENDPOINT_TYPE = (
        115, errors.UnsupportedEndpointTypeException,
        "This endpoint type is not supported yet.")
    UNKNOWN_CONTROLLER_ID = (116, errors.UnknownControllerIdException, "This controller ID is not known.")
    UNKNOWN_SUBSCRIPTION_ID = (
        117, errors.UnknownSubscriptionIdException,
        "Client sent a push telemetry request with an invalid or outdated subscription ID.")
    TELEMETRY_TOO_LARGE = (
        118, errors.TelemetryTooLargeException,
        "Client sent a push telemetry request larger than the maximum size the broker will accept.")
    INVALID_REGISTRATION = (
        119, errors.InvalidRegistrationException,
        "The controller has considered the broker registration to be invalid.")
    TRANSACTION_ABORTABLE = (
        120, errors.TransactionAbortableException,
        "The server encountered an error with the transaction. The client can abort the transaction to "
        "continue using this transactional ID.")

    code: int
    _exception_class: type[ApiException] | None
    _message: str | None

    # Every response counts its errors in a dict. The hash of an Enum runs in Python, the hash of object does
    # not.
    __hash__ = object.__hash__

    def __init__(self, code: int, exception_class: type[ApiException] | None, message: str | None) -> None:
        """``exception_class`` is called with a message.

        :origin: common.protocol.Errors#Errors(int, String, Function<String,ApiException>)
        """
        # DEVIATION D42: an attribute where Kafka has an accessor, as in the messages.
        self.code = code
        self._exception_class = exception_class
        self._message = message

    def exception(self, message: str | None = None) -> ApiException | None:
        """Return an exception of the error with ``message`` or its own text; None for NONE.

        :origin: common.protocol.Errors#exception()
        :origin: common.protocol.Errors#exception(String)
        """
        # DEVIATION D43: a new exception each time. A shared one would collect the tracebacks of all raises.
        if self._exception_class is None:
            return None
        return self._exception_class(self._message if message is None else message)

    def exception_name(self) -> str | None:
        """Return the name of the exception's class, or None for NONE.

        :origin: common.protocol.Errors#exceptionName()
        """
        return None if self._exception_class is None else class_name(self._exception_class)

    def maybe_throw(self) -> None:
        """Raise the exception of the error, unless it is NONE.

        :origin: common.protocol.Errors#maybeThrow()
        """
        exception = self.exception()
        if exception is not None:
            raise exception

    def message(self) -> str:
        """Return the text of the error. NONE has only its name.

        :origin: common.protocol.Errors#message()
        """
        return self.name if self._message is None else self._message

    @staticmethod
    def for_code(code: int) -> Errors:
        """Return the error with this code, UNKNOWN_SERVER_ERROR for an unknown code.

        :origin: common.protocol.Errors#forCode(short)
        """
        error = _CODE_TO_ERROR.get(code)
        if error is None:
            log.warn("Unknown error code %s", code)
            return Errors.UNKNOWN_SERVER_ERROR
        return error

    @staticmethod
    def for_exception(exception: BaseException) -> Errors:
        """Return the error of the exception's class or of its nearest base class.

        Returns UNKNOWN_SERVER_ERROR if no class matches.

        :origin: common.protocol.Errors#forException(Throwable)
        """
        cause = Errors.maybe_unwrap_exception(exception)
        for clazz in type(cause).__mro__:
            error = _CLASS_TO_ERROR.get(clazz)
            if error is not None:
                return error
        return Errors.UNKNOWN_SERVER_ERROR

    @staticmethod
    def maybe_unwrap_exception(exception: BaseException) -> BaseException:
        """Return the cause of a CompletionException or ExecutionException, else ``exception``.

        :origin: common.protocol.Errors#maybeUnwrapException(Throwable)
        """
        if isinstance(exception, (CompletionException, ExecutionException)) and exception.__cause__:
            return exception.__cause__
        return exception

    def __str__(self) -> str:
        """:origin: common.protocol.Errors#toString()"""
        return self.name

    # Each error has one instance, so the hash of object is enough. Enum's hash is a slow Python function.
    __hash__ = object.__hash__


_CLASS_TO_ERROR = {error._exception_class: error for error in Errors if error._exception_class is not None}
_CODE_TO_ERROR = {error.code: error for error in Errors}
