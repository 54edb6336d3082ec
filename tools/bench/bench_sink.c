/* Licensed under the Apache License, Version 2.0; see LICENSE.
 *
 * A broker that answers Produce at once and keeps nothing, to see what a producer can do by itself.
 *
 *   bench_sink PARTITIONS
 *
 * Listens on a free port of loopback, prints it, and serves until it is killed. It is the only broker of its
 * cluster, knows every topic that it is asked for, and answers ApiVersions, Metadata, Produce and InitProducerId,
 * all without flexible versions. A batch gets the offset after the last record of its partition's number.
 * The sink closes the connection of a request that it does not know, or that is cut short.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define ANSWER (1u << 16)
#define LARGEST (64u << 20)
#define MAX_PARTITIONS 64
#define RECORD_COUNT 57 /* where a batch has its number of records */
#define HOST "127.0.0.1"

enum { PRODUCE = 0, FETCH = 1, LIST_OFFSETS = 2, METADATA = 3, API_VERSIONS = 18, INIT_PRODUCER_ID = 22 };
enum { UNSUPPORTED_VERSION = 35 };

/* librdkafka takes a broker without Fetch and ListOffsets for one from before Kafka 0.11. */
static const int apis[][3] = {{PRODUCE, 3, 7}, {FETCH, 4, 11}, {LIST_OFFSETS, 1, 5}, {METADATA, 1, 7},
                              {API_VERSIONS, 0, 2}, {INIT_PRODUCER_ID, 0, 1}};

struct connection {
    int fd;
    size_t got, room;
    unsigned char *request;
};

static int partitions, port;
static int64_t next_offsets[MAX_PARTITIONS];
static unsigned char answer[ANSWER];
static size_t written;
/* The rest of the request. */
static const unsigned char *at, *end;
static int is_bad;

static void fail(const char *what)
{
    fprintf(stderr, "bench_sink: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void put(int64_t value, unsigned size)
{
    if (written + size > ANSWER) {
        is_bad = 1;
        return;
    }
    while (size--)
        answer[written++] = (unsigned char)(value >> 8 * size);
}

static void put_string(const void *text, int length)
{
    put(length, 2);
    if (length < 0 || written + (size_t)length > ANSWER)
        return;
    memcpy(answer + written, text, (size_t)length);
    written += (size_t)length;
}

static int64_t take(unsigned size)
{
    int64_t value = 0;
    if ((size_t)(end - at) < size) {
        is_bad = 1;
        return 0;
    }
    for (unsigned i = 0; i < size; i++)
        value = value << 8 | *at++;
    return size == 2 ? (int16_t)value : size == 4 ? (int32_t)value : value;
}

/* Returns where the bytes are that follow a length of so many bytes; *length is -1 for none. */
static const unsigned char *take_bytes(unsigned size, int *length)
{
    const unsigned char *bytes;
    *length = (int)take(size);
    bytes = at;
    if (*length > end - at)
        is_bad = 1;
    else if (*length > 0)
        at += *length;
    return bytes;
}

static void answer_api_versions(int version)
{
    unsigned count = sizeof apis / sizeof apis[0];
    put(version > 2 ? UNSUPPORTED_VERSION : 0, 2);
    put(count, 4);
    for (unsigned i = 0; i < count; i++)
        for (int j = 0; j < 3; j++)
            put(apis[i][j], 2);
    if (version == 1 || version == 2)
        put(0, 4);
}

static void answer_metadata(int version)
{
    int topics = (int)take(4), length;
    if (version >= 3)
        put(0, 4);
    put(1, 4);
    put(0, 4);
    put_string(HOST, sizeof HOST - 1);
    put(port, 4);
    put(-1, 2);
    if (version >= 2)
        put_string("sink", 4);
    put(0, 4);
    put(topics < 0 ? 0 : topics, 4);
    for (int i = 0; i < topics && !is_bad; i++) {
        const unsigned char *topic = take_bytes(2, &length);
        if (is_bad)
            return;
        put(0, 2);
        put_string(topic, length);
        put(0, 1);
        put(partitions, 4);
        for (int j = 0; j < partitions; j++) {
            put(0, 2);
            put(j, 4);
            put(0, 4);
            if (version >= 7)
                put(0, 4);
            for (int k = 0; k < 2; k++) {
                put(1, 4);
                put(0, 4);
            }
            if (version >= 5)
                put(0, 4);
        }
    }
}

/* Returns whether the producer wants an answer. */
static int answer_produce(int version)
{
    int length, acks, topics;
    take_bytes(2, &length);
    acks = (int)take(2);
    take(4);
    topics = (int)take(4);
    put(topics, 4);
    for (int i = 0; i < topics && !is_bad; i++) {
        const unsigned char *topic = take_bytes(2, &length);
        int count = (int)take(4);
        if (is_bad)
            break;
        put_string(topic, length);
        put(count, 4);
        for (int j = 0; j < count && !is_bad; j++) {
            int partition = (int)take(4);
            const unsigned char *batch = take_bytes(4, &length), *records = batch + RECORD_COUNT;
            if (is_bad || partition < 0 || partition >= partitions || length < RECORD_COUNT + 4) {
                is_bad = 1;
                break;
            }
            put(partition, 4);
            put(0, 2);
            put(next_offsets[partition], 8);
            put(-1, 8);
            if (version >= 5)
                put(0, 8);
            next_offsets[partition] += (int64_t)records[0] << 24 | records[1] << 16 | records[2] << 8 | records[3];
        }
    }
    put(0, 4);
    return acks != 0;
}

static void answer_init_producer_id(void)
{
    static int64_t producer_id;
    put(0, 4);
    put(0, 2);
    put(++producer_id, 8);
    put(0, 2);
}

/* Answers the request at ``at``. Returns 0 if the connection is to be closed. */
static int serve(int fd)
{
    int api = (int)take(2), version = (int)take(2), length, is_wanted = 1;
    written = 4;
    put(take(4), 4);
    take_bytes(2, &length);
    for (unsigned i = 0; i < sizeof apis / sizeof apis[0]; i++)
        if (apis[i][0] == api && api != API_VERSIONS && (version < apis[i][1] || version > apis[i][2]))
            return 0;
    if (api == API_VERSIONS)
        answer_api_versions(version);
    else if (api == METADATA)
        answer_metadata(version);
    else if (api == PRODUCE)
        is_wanted = answer_produce(version);
    else if (api == INIT_PRODUCER_ID)
        answer_init_producer_id();
    else
        return 0;
    if (is_bad || !is_wanted)
        return !is_bad;
    uint32_t size = htonl((uint32_t)written - 4);
    memcpy(answer, &size, 4);
    return send(fd, answer, written, 0) == (ssize_t)written;
}

/* Returns 0 at the end. */
static int go_on_reading(struct connection *c)
{
    ssize_t n = recv(c->fd, c->request + c->got, c->room - c->got, MSG_DONTWAIT);
    if (n <= 0)
        return n < 0 && errno == EAGAIN;
    c->got += (size_t)n;
    size_t from = 0, needed = 4;
    while (c->got - from >= 4) {
        uint32_t size;
        memcpy(&size, c->request + from, 4);
        size = ntohl(size);
        if (size > LARGEST)
            return 0;
        needed = 4 + (size_t)size;
        if (c->got - from < needed)
            break;
        at = c->request + from + 4;
        end = at + size;
        is_bad = 0;
        if (!serve(c->fd))
            return 0;
        from += needed;
    }
    c->got -= from;
    memmove(c->request, c->request + from, c->got);
    if (needed > c->room) {
        if (!(c->request = realloc(c->request, needed)))
            fail("realloc");
        c->room = needed;
    }
    return 1;
}

int main(int argc, char **argv)
{
    int one = 1, listener = socket(AF_INET, SOCK_STREAM, 0), epoll_fd = epoll_create1(0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (argc != 2 || (partitions = atoi(argv[1])) < 1 || partitions > MAX_PARTITIONS) {
        fprintf(stderr, "usage: bench_sink PARTITIONS, from 1 to %d\n", MAX_PARTITIONS);
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    struct epoll_event e = {.events = EPOLLIN}, events[64];
    if (listener < 0 || epoll_fd < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) < 0 ||
        listen(listener, 64) < 0 || getsockname(listener, (struct sockaddr *)&address, &length) < 0 ||
        epoll_ctl(epoll_fd, EPOLL_CTL_ADD, listener, &e) < 0)
        fail("set-up");
    port = ntohs(address.sin_port);
    printf("%d\n", port);
    fflush(stdout);
    for (;;) {
        int ready = epoll_wait(epoll_fd, events, 64, -1);
        if (ready < 0 && errno != EINTR)
            fail("epoll_wait");
        for (int i = 0; i < ready; i++) {
            struct connection *c = events[i].data.ptr;
            if (c) {
                if (!go_on_reading(c)) {
                    close(c->fd);
                    free(c->request);
                    free(c);
                }
                continue;
            }
            if (!(c = calloc(1, sizeof *c)) || !(c->request = malloc(c->room = 1 << 17)) ||
                (c->fd = accept(listener, NULL, NULL)) < 0)
                fail("accept");
            setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
            struct epoll_event watched = {.events = EPOLLIN, .data.ptr = c};
            if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, c->fd, &watched) < 0)
                fail("epoll_ctl");
        }
    }
}
