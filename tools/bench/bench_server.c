/* Licensed under the Apache License, Version 2.0; see LICENSE.
 *
 * A bare epoll server, to see how much more bench_client could do than the servers it is for.
 *
 *   bench_server ANSWER_SIZE [PEM]
 *
 * Listens on a free port of loopback, prints it, and serves until it is killed. A request is a size in 4
 * bytes, and as many bytes, of which 4 to 8 are its correlation id. An answer has ANSWER_SIZE bytes in all:
 * the size, the correlation id, zeros. A connection has one request under way.
 *
 * With PEM, a file with a key and a certificate, it speaks TLS, if it is compiled with -DTLS.
 *
 * What a broker does to be fast with large answers is done here too: they go from a file straight into the
 * socket, which takes no more than fits into the caches.
 */
#define _GNU_SOURCE
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
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>
#ifdef TLS
#include <openssl/ssl.h>
#endif

#define BLOCK (1u << 20)
#define HEAD 12u /* of a request: size, API, version, correlation id */
#define LARGE 32768u
#define SEND_BUFFER 102400 /* Kafka's default */

struct connection {
    int fd;
#ifdef TLS
    SSL *tls; /* NULL in plain text */
#endif
    uint32_t got;   /* bytes of the request read */
    size_t unsent;  /* bytes of the answer still to be sent */
    unsigned char head[HEAD];
};

static unsigned char block[BLOCK], *answer;
static size_t answer_size;
static int epoll_fd, answer_fd;

static void fail(const char *what)
{
    fprintf(stderr, "bench_server: %s: %s\n", what, strerror(errno));
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
    if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE)
        return 0;
    errno = EAGAIN;
    return -1;
}
#endif

static ssize_t put(struct connection *c, off_t *sent)
{
#ifdef TLS
    if (c->tls)
        return result(c, SSL_write(c->tls, answer + *sent, (int)c->unsent));
#endif
    return answer_size < LARGE ? send(c->fd, answer + *sent, c->unsent, 0)
                               : sendfile(c->fd, answer_fd, sent, c->unsent);
}

static ssize_t get(struct connection *c)
{
#ifdef TLS
    if (c->tls)
        return result(c, SSL_read(c->tls, block, BLOCK));
#endif
    return recv(c->fd, block, BLOCK, 0);
}

static void end(struct connection *c)
{
#ifdef TLS
    SSL_free(c->tls);
#endif
    close(c->fd);
    free(c);
}

static void watch(struct connection *c, int operation, uint32_t events)
{
    struct epoll_event e = {.events = events, .data.ptr = c};
    if (epoll_ctl(epoll_fd, operation, c->fd, &e) < 0)
        fail("epoll_ctl");
}

/* Sends what it can of the answer; the rest goes when the socket is writable. Returns 0 at the end. */
static int go_on_sending(struct connection *c, int was_waiting)
{
    while (c->unsent) {
        /* One buffer for all: a correlation id that has to wait may be another's by then. */
        off_t sent = (off_t)(answer_size - c->unsent);
        ssize_t n = put(c, &sent);
        if (n < 0) {
            if (errno == EAGAIN && !was_waiting)
                watch(c, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
            return errno == EAGAIN;
        }
        c->unsent -= (size_t)n;
    }
    if (was_waiting)
        watch(c, EPOLL_CTL_MOD, EPOLLIN);
    return 1;
}

/* Reads, and answers if that ends a request. Returns 0 at the end. */
static int go_on_reading(struct connection *c)
{
    ssize_t n = get(c);
    if (n < 0)
        return errno == EAGAIN;
    for (uint32_t i = c->got; i < HEAD && i < c->got + (uint32_t)n; i++)
        c->head[i] = block[i - c->got];
    c->got += (uint32_t)n;
    uint32_t size;
    memcpy(&size, c->head, 4);
    if (c->got < HEAD || c->got < 4 + ntohl(size))
        return n > 0;
    c->got = 0;
    c->unsent = answer_size;
    memcpy(answer + 4, c->head + 8, 4);
    return n > 0 && go_on_sending(c, 0);
}

int main(int argc, char **argv)
{
    int one = 1, room = SEND_BUFFER, listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
#ifdef TLS
    if (argc == 3) {
        if (!(context = SSL_CTX_new(TLS_server_method())) ||
            SSL_CTX_use_certificate_file(context, argv[2], SSL_FILETYPE_PEM) != 1 ||
            SSL_CTX_use_PrivateKey_file(context, argv[2], SSL_FILETYPE_PEM) != 1)
            fail(argv[2]);
        SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
        argc = 2;
    }
#endif
    if (argc != 2 || (answer_size = (size_t)atol(argv[1])) < 8) {
        fprintf(stderr, "usage: bench_server ANSWER_SIZE [PEM], the first is 8 at least\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    if ((answer_fd = memfd_create("answer", 0)) < 0 || ftruncate(answer_fd, (off_t)answer_size) < 0 ||
        (answer = mmap(NULL, answer_size, PROT_READ | PROT_WRITE, MAP_SHARED, answer_fd, 0)) == MAP_FAILED ||
        listener < 0 || (epoll_fd = epoll_create1(0)) < 0 ||
        bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 1024) < 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) < 0)
        fail("set-up");
    uint32_t size = htonl((uint32_t)answer_size - 4);
    memset(answer, 0, answer_size); /* there are no pages before */
    memcpy(answer, &size, 4);
    struct epoll_event e = {.events = EPOLLIN}, events[256];
    if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, listener, &e) < 0)
        fail("epoll_ctl");
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;) {
        int ready = epoll_wait(epoll_fd, events, 256, -1);
        if (ready < 0 && errno != EINTR)
            fail("epoll_wait");
        for (int i = 0; i < ready; i++) {
            struct connection *c = events[i].data.ptr;
            if (c) {
                if (((events[i].events & EPOLLOUT) && !go_on_sending(c, 1)) ||
                    ((events[i].events & ~(uint32_t)EPOLLOUT) && !go_on_reading(c)))
                    end(c);
                continue;
            }
            if (!(c = calloc(1, sizeof *c)) || (c->fd = accept(listener, NULL, NULL)) < 0)
                fail("accept");
            setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
            setsockopt(c->fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
#ifdef TLS
            if (context && (!(c->tls = SSL_new(context)) || !SSL_set_fd(c->tls, c->fd)))
                fail("TLS");
            if (c->tls)
                SSL_set_accept_state(c->tls);
#endif
            fcntl(c->fd, F_SETFL, O_NONBLOCK);
            watch(c, EPOLL_CTL_ADD, EPOLLIN);
        }
    }
}
