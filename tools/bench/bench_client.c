/* Licensed under the Apache License, Version 2.0; see LICENSE.
 *
 * A closed loop over many connections: each sends a request, reads the answer, sends the next.
 *
 *   bench_client [-o | -t] [-n REQUESTS] [-p DEPTH] ADDRESS PORT CONNECTIONS SECONDS WARM_UP < request
 *
 * ADDRESS is numeric. Standard input is one request, with its size in front. Answers are framed the same
 * way, and nothing else is looked at. Prints a line of JSON when WARM_UP seconds are over, at every SIGUSR1,
 * and at the end, which comes after SECONDS or with SIGTERM. A line speaks of the time since the line before:
 * requests answered, seconds, bytes answered, and the latencies p50 and p99 in microseconds. Except at the end
 * of the warm-up and at SIGTERM, a line waits for an answered request, up to a minute, because a busy machine
 * may answer none in a short time.
 *
 * -o  each connection is for one request: it is closed behind the answer, and another one opened; a latency
 *     is the time from before the connect.
 * -t  over TLS, if it is compiled with -DTLS; whatever certificate the server shows is believed.
 * -n  ends after so many requests, if SECONDS are not over before; the warm-up then ends with their first
 *     fifth, if WARM_UP seconds are not over before.
 * -p  sends DEPTH requests at once, and the next ones when all of them are answered; a latency is the time
 *     from the first byte of all to an answer.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#ifdef TLS
#include <openssl/ssl.h>
#endif

/* Latencies by the microsecond up to here; what is slower counts as this. */
#define SLOTS 10000000u
#define BLOCK (1u << 20)
#define PATIENCE_NS 60000000000u

struct connection {
    int fd;
#ifdef TLS
    SSL *tls;             /* NULL in plain text */
#endif
    size_t unsent;        /* bytes of the request still to be sent */
    uint32_t got_of_size; /* bytes of the answer's size read, up to 4 */
    unsigned char size[4];
    uint64_t left;        /* bytes of the answer still to be read */
    uint32_t unanswered;  /* requests under way */
    uint64_t start;       /* when the request was begun, in ns */
};

static unsigned char *request;
static size_t request_size;
static unsigned char block[BLOCK];
static uint32_t *latencies, slowest;
static uint64_t requests, answered, total;
static struct sockaddr_in server;
static int epoll_fd, one_request_each;
static uint32_t depth = 1;
static volatile sig_atomic_t asked, ended;

static void fail(const char *what)
{
    fprintf(stderr, "bench_client: %s: %s\n", what, strerror(errno));
    exit(1);
}

#ifdef TLS
static SSL_CTX *context;

/* The result of a call as that of send or recv. */
static ssize_t result(struct connection *c, int n)
{
    if (n > 0)
        return n;
    int error = SSL_get_error(c->tls, n);
    if (error == SSL_ERROR_ZERO_RETURN)
        return 0;
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE)
        errno = EAGAIN;
    return -1;
}

static void shake_hands(struct connection *c)
{
    if (!(c->tls = SSL_new(context)) || !SSL_set_fd(c->tls, c->fd) || SSL_connect(c->tls) != 1)
        fail("TLS handshake");
}
#endif

static ssize_t put(struct connection *c, const void *data, size_t size)
{
#ifdef TLS
    if (c->tls)
        return result(c, SSL_write(c->tls, data, (int)size));
#endif
    return send(c->fd, data, size, MSG_NOSIGNAL);
}

static ssize_t get(struct connection *c, void *data, size_t size)
{
#ifdef TLS
    if (c->tls)
        return result(c, SSL_read(c->tls, data, (int)size));
#endif
    return recv(c->fd, data, size, 0);
}

/* Whether more can be got that the socket knows nothing of. */
static int has_more(struct connection *c)
{
#ifdef TLS
    return c->tls && SSL_pending(c->tls);
#else
    (void)c;
    return 0;
#endif
}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void watch(struct connection *c, uint32_t events)
{
    struct epoll_event e = {.events = events, .data.ptr = c};
    if (epoll_ctl(epoll_fd, EPOLL_CTL_MOD, c->fd, &e) < 0)
        fail("epoll_ctl");
}

/* Connects; where that takes its time, what is to be sent waits for it. */
static void open_connection(struct connection *c)
{
    static uint32_t opened;
    int one = 1;
    if ((c->fd = socket(AF_INET, SOCK_STREAM, 0)) < 0)
        fail("socket");
    if (one_request_each && ntohl(server.sin_addr.s_addr) >> 24 == 127) {
        /* A port cannot be used again for a minute: on loopback there are more addresses to come from. */
        struct sockaddr_in source = {.sin_family = AF_INET,
                                     .sin_addr.s_addr = htonl(0x7f010001u + opened++ % 250)};
        setsockopt(c->fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
        if (bind(c->fd, (struct sockaddr *)&source, sizeof source) < 0)
            fail("bind");
    }
    if (one_request_each)
        fcntl(c->fd, F_SETFL, O_NONBLOCK);
    if (connect(c->fd, (struct sockaddr *)&server, sizeof server) < 0 && errno != EINPROGRESS)
        fail("connect");
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
#ifdef TLS
    if (context)
        shake_hands(c);
#endif
    fcntl(c->fd, F_SETFL, O_NONBLOCK);
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = c};
    if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, c->fd, &e) < 0)
        fail("epoll_ctl");
}

/* Sends what it can of the request; whatever is left goes when the socket is writable. */
static void go_on_sending(struct connection *c, int was_waiting)
{
    while (c->unsent) {
        ssize_t n = put(c, request + request_size - c->unsent, c->unsent);
        if (n < 0) {
            if (errno == EAGAIN) {
                if (!was_waiting)
                    watch(c, EPOLLIN | EPOLLOUT);
                return;
            }
            fail("send");
        }
        c->unsent -= (size_t)n;
    }
    if (was_waiting)
        watch(c, EPOLLIN);
}

static void begin(struct connection *c)
{
    c->unsent = request_size;
    c->unanswered = depth;
    c->got_of_size = 0;
    c->start = now();
    if (one_request_each)
        open_connection(c);
    go_on_sending(c, 0);
}

static void finish(struct connection *c, uint64_t size)
{
    uint64_t us = (now() - c->start) / 1000;
    uint32_t slot = us < SLOTS ? (uint32_t)us : SLOTS - 1;
    latencies[slot]++;
    slowest = slot > slowest ? slot : slowest;
    requests++;
    total++;
    answered += size + 4;
    if (--c->unanswered) {
        c->got_of_size = 0;
        return;
    }
    if (one_request_each)
        close(c->fd);
    begin(c);
}

static void go_on_reading(struct connection *c)
{
    ssize_t n = get(c, block, BLOCK);
    if (n < 0) {
        if (errno == EAGAIN)
            return;
        fail("recv");
    }
    if (n == 0) {
        fprintf(stderr, "bench_client: the server closed a connection\n");
        exit(1);
    }
    size_t at = 0;
    while (at < (size_t)n) {
        if (c->got_of_size < 4) {
            c->size[c->got_of_size++] = block[at++];
            if (c->got_of_size == 4)
                c->left = (uint64_t)c->size[0] << 24 | c->size[1] << 16 | c->size[2] << 8 | c->size[3];
        } else {
            size_t here = (size_t)n - at < c->left ? (size_t)n - at : c->left;
            c->left -= here;
            at += here;
        }
        if (c->got_of_size == 4 && c->left == 0)
            finish(c, (uint64_t)c->size[0] << 24 | c->size[1] << 16 | c->size[2] << 8 | c->size[3]);
    }
}

static void read_all(struct connection *c)
{
    do
        go_on_reading(c);
    while (has_more(c));
}

static uint32_t percentile(double share)
{
    uint64_t wanted = (uint64_t)(share * (double)requests), seen = 0;
    for (uint32_t us = 0; us <= slowest; us++)
        if ((seen += latencies[us]) > wanted)
            return us;
    return SLOTS;
}

/* Prints what was measured in this time, and forgets it. */
static void report(uint64_t time)
{
    printf("{\"requests\": %llu, \"seconds\": %.6f, \"bytes\": %llu, \"p50_us\": %u, \"p99_us\": %u}\n",
           (unsigned long long)requests, (double)time / 1e9, (unsigned long long)answered,
           percentile(0.5), percentile(0.99));
    fflush(stdout);
    /* No more than was used: all connections wait meanwhile. */
    memset(latencies, 0, (slowest + 1) * sizeof *latencies);
    requests = answered = slowest = 0;
}

/* Whether a line would have to say that nothing was answered, and there is time for an answer. */
static int is_too_early(uint64_t t, uint64_t since)
{
    return !requests && t < since + PATIENCE_NS;
}

static void on_signal(int number)
{
    if (number == SIGUSR1)
        asked = 1;
    else
        ended = 1;
}

int main(int argc, char **argv)
{
    uint64_t limit = UINT64_MAX;
    for (int option; (option = getopt(argc, argv, "otn:p:")) != -1;) {
        if (option == 'o')
            one_request_each = 1;
#ifdef TLS
        else if (option == 't') {
            if (!(context = SSL_CTX_new(TLS_client_method())))
                fail("TLS");
            SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
        }
#endif
        else if (option == 'n')
            limit = strtoull(optarg, NULL, 10);
        else if (option == 'p' && atoi(optarg) > 0)
            depth = (uint32_t)atoi(optarg);
        else
            return 2;
    }
#ifdef TLS
    if (one_request_each && context)
        return 2;
#endif
    if (argc - optind != 5) {
        fprintf(stderr, "usage: bench_client [-o | -t] [-n REQUESTS] [-p DEPTH] ADDRESS PORT CONNECTIONS SECONDS"
                        " WARM_UP < request\n");
        return 2;
    }
    argv += optind;
    int count = atoi(argv[2]);
    double seconds = atof(argv[3]), warm_up = atof(argv[4]);
    size_t room = 0;
    for (;;) {
        if (request_size == room && !(request = realloc(request, room += BLOCK)))
            fail("realloc");
        ssize_t n = read(0, request + request_size, room - request_size);
        if (n < 0)
            fail("read");
        if (n == 0)
            break;
        request_size += (size_t)n;
    }
    size_t one = request_size;
    if (!(request = realloc(request, request_size *= depth)))
        fail("realloc");
    for (uint32_t i = 1; i < depth; i++)
        memcpy(request + i * one, request, one);
    latencies = calloc(SLOTS, sizeof *latencies);
    struct connection *connections = calloc((size_t)count, sizeof *connections);
    if (!latencies || !connections || (epoll_fd = epoll_create1(0)) < 0)
        fail("set-up");
    server = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[1]))};
    if (inet_pton(AF_INET, argv[0], &server.sin_addr) != 1) {
        fprintf(stderr, "bench_client: not an address: %s\n", argv[0]);
        return 2;
    }
    signal(SIGUSR1, on_signal);
    signal(SIGTERM, on_signal);
    if (!one_request_each)
        for (int i = 0; i < count; i++)
            open_connection(&connections[i]);
    for (int i = 0; i < count; i++)
        begin(&connections[i]);
    uint64_t t = now(), since = t, warm = t + (uint64_t)(warm_up * 1e9), end = t + (uint64_t)(seconds * 1e9);
    struct epoll_event events[256];
    int warming = warm_up > 0;
    asked = 0;
    while (t = now(), (t < end || warming || is_too_early(t, since)) && !ended && total < limit) {
        int warmed = warming && (t >= warm || total >= limit / 5);
        /* What is measured has its whole time, however late this process comes to the end of the warm-up. */
        if (warmed && t > warm)
            end += t - warm;
        if ((asked && !is_too_early(t, since)) || warmed) {
            asked = 0;
            warming = warming && !warmed;
            report(t - since);
            since = now();
        }
        int ready = epoll_wait(epoll_fd, events, 256, 100);
        if (ready < 0 && errno != EINTR)
            fail("epoll_wait");
        for (int i = 0; i < ready; i++) {
            struct connection *c = events[i].data.ptr;
            if (events[i].events & EPOLLOUT)
                go_on_sending(c, 1);
            if (events[i].events & ~(uint32_t)EPOLLOUT)
                read_all(c);
        }
    }
    report(t - since);
    return 0;
}
