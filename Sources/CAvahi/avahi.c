#include "CAvahi.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The part of Avahi's interface that is used: avahi-client/client.h, publish.h and lookup.h, avahi-common/thread-watch.h, strlst.h, address.h
// and alternative.h of 0.8. The library's version (libavahi-client.so.3) keeps these.
typedef struct AvahiThreadedPoll AvahiThreadedPoll;
typedef struct AvahiPoll AvahiPoll;
typedef struct AvahiClient AvahiClient;
typedef struct AvahiEntryGroup AvahiEntryGroup;
typedef struct AvahiServiceBrowser AvahiServiceBrowser;
typedef struct AvahiServiceResolver AvahiServiceResolver;
typedef struct AvahiStringList AvahiStringList;
typedef struct AvahiAddress AvahiAddress;

enum { ANY_INTERFACE = -1, ANY_PROTOCOL = -1 };
enum { CLIENT_RUNNING = 2, CLIENT_FAILURE = 100 };
enum { GROUP_ESTABLISHED = 2, GROUP_COLLISION = 3, GROUP_FAILURE = 4 };
enum { BROWSER_NEW = 0, BROWSER_REMOVE = 1, BROWSER_ALL_FOR_NOW = 3, BROWSER_FAILURE = 4 };
enum { RESOLVER_FOUND = 0 };

typedef void client_callback(AvahiClient *, int state, void *);
typedef void group_callback(AvahiEntryGroup *, int state, void *);
typedef void browser_callback(
    AvahiServiceBrowser *, int interface, int protocol, int event, const char *name, const char *type, const char *domain, int flags, void *);
typedef void resolver_callback(
    AvahiServiceResolver *, int interface, int protocol, int event, const char *name, const char *type, const char *domain,
    const char *host, const AvahiAddress *, uint16_t port, AvahiStringList *, int flags, void *);

#define FUNCTIONS(X) \
    X(AvahiThreadedPoll *, avahi_threaded_poll_new, (void)) \
    X(void, avahi_threaded_poll_free, (AvahiThreadedPoll *)) \
    X(const AvahiPoll *, avahi_threaded_poll_get, (AvahiThreadedPoll *)) \
    X(int, avahi_threaded_poll_start, (AvahiThreadedPoll *)) \
    X(int, avahi_threaded_poll_stop, (AvahiThreadedPoll *)) \
    X(AvahiClient *, avahi_client_new, (const AvahiPoll *, int flags, client_callback *, void *, int *error)) \
    X(void, avahi_client_free, (AvahiClient *)) \
    X(int, avahi_client_errno, (AvahiClient *)) \
    X(AvahiClient *, avahi_entry_group_get_client, (AvahiEntryGroup *)) \
    X(AvahiClient *, avahi_service_browser_get_client, (AvahiServiceBrowser *)) \
    X(const char *, avahi_strerror, (int)) \
    X(AvahiEntryGroup *, avahi_entry_group_new, (AvahiClient *, group_callback *, void *)) \
    X(int, avahi_entry_group_add_service_strlst, \
        (AvahiEntryGroup *, int interface, int protocol, int flags, const char *name, const char *type, const char *domain, \
         const char *host, uint16_t port, AvahiStringList *)) \
    X(int, avahi_entry_group_commit, (AvahiEntryGroup *)) \
    X(int, avahi_entry_group_reset, (AvahiEntryGroup *)) \
    X(char *, avahi_alternative_service_name, (const char *)) \
    X(void, avahi_free, (void *)) \
    X(AvahiStringList *, avahi_string_list_new_from_array, (const char **, int)) \
    X(AvahiStringList *, avahi_string_list_get_next, (AvahiStringList *)) \
    X(uint8_t *, avahi_string_list_get_text, (AvahiStringList *)) \
    X(size_t, avahi_string_list_get_size, (AvahiStringList *)) \
    X(void, avahi_string_list_free, (AvahiStringList *)) \
    X(char *, avahi_address_snprint, (char *, size_t, const AvahiAddress *)) \
    X(AvahiServiceBrowser *, avahi_service_browser_new, \
        (AvahiClient *, int interface, int protocol, const char *type, const char *domain, int flags, browser_callback *, void *)) \
    X(AvahiServiceResolver *, avahi_service_resolver_new, \
        (AvahiClient *, int interface, int protocol, const char *name, const char *type, const char *domain, int wanted, int flags, \
         resolver_callback *, void *)) \
    X(void, avahi_service_resolver_free, (AvahiServiceResolver *))

#define DECLARE(result, name, parameters) result (*name) parameters;
static struct { FUNCTIONS(DECLARE) } avahi;

static const char *load_error;

static void load(void) {
    void *library = dlopen("libavahi-client.so.3", RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        load_error = "the library libavahi-client.so.3 is not installed (Debian: apt-get install libavahi-client3 avahi-daemon)";
        return;
    }
    // The functions of libavahi-common are found through the first library, which needs it.
    #define FIND(result, name, parameters) \
        if (!(*(void **)&avahi.name = dlsym(library, #name))) load_error = "the library libavahi-client.so.3 has no function " #name;
    FUNCTIONS(FIND)
}

struct dualgauge_discovery {
    AvahiThreadedPoll *poll;
    AvahiClient *client;
    AvahiEntryGroup *group;
    /// NULL for a search.
    char *name;
    char *type;
    uint16_t port;
    AvahiStringList *texts;
    bool has_failed;
    dualgauge_discovery_callback callback;
    void *context;
};

static void fail(dualgauge_discovery *self, const char *reason) {
    if (self->has_failed) return;
    self->has_failed = true;
    self->callback(self->context, DUALGAUGE_DISCOVERY_FAILED, reason, NULL, NULL, 0, NULL, 0);
}

static void fail_by_client(dualgauge_discovery *self, AvahiClient *client) {
    fail(self, avahi.avahi_strerror(avahi.avahi_client_errno(client)));
}

// Announcing

static void announce(dualgauge_discovery *self);

static void group_changed(AvahiEntryGroup *group, int state, void *context) {
    dualgauge_discovery *self = context;
    self->group = group;
    if (state == GROUP_ESTABLISHED) {
        self->callback(self->context, DUALGAUGE_DISCOVERY_ANNOUNCED, self->name, NULL, NULL, self->port, NULL, 0);
    } else if (state == GROUP_COLLISION) {
        // Another machine has the name; Avahi proposes the next one.
        char *other = avahi.avahi_alternative_service_name(self->name);
        if (!other) return fail(self, "another machine has the same name");
        free(self->name);
        self->name = strdup(other);
        avahi.avahi_free(other);
        announce(self);
    } else if (state == GROUP_FAILURE) {
        fail_by_client(self, avahi.avahi_entry_group_get_client(group));
    }
}

static void announce(dualgauge_discovery *self) {
    if (!self->name) return fail(self, "no memory");
    if (!self->group) self->group = avahi.avahi_entry_group_new(self->client, group_changed, self);
    if (!self->group) return fail_by_client(self, self->client);
    avahi.avahi_entry_group_reset(self->group);
    int code = avahi.avahi_entry_group_add_service_strlst(
        self->group, ANY_INTERFACE, ANY_PROTOCOL, 0, self->name, self->type, NULL, NULL, self->port, self->texts);
    if (code >= 0) code = avahi.avahi_entry_group_commit(self->group);
    if (code < 0) fail(self, avahi.avahi_strerror(code));
}

// Finding

static void resolved(
    AvahiServiceResolver *resolver, int interface, int protocol, int event, const char *name, const char *type, const char *domain,
    const char *host, const AvahiAddress *address, uint16_t port, AvahiStringList *list, int flags, void *context
) {
    (void)interface, (void)protocol, (void)type, (void)domain, (void)flags;
    dualgauge_discovery *self = context;
    if (event == RESOLVER_FOUND) {
        char text[64] = "";
        if (address) avahi.avahi_address_snprint(text, sizeof text, address);
        const char *texts[64];
        char *copies[64];
        size_t count = 0;
        for (; list && count < 64; list = avahi.avahi_string_list_get_next(list)) {
            copies[count] = strndup((const char *)avahi.avahi_string_list_get_text(list), avahi.avahi_string_list_get_size(list));
            texts[count] = copies[count];
            if (copies[count]) count++;
        }
        self->callback(self->context, DUALGAUGE_DISCOVERY_FOUND, name, host, text, port, texts, count);
        while (count > 0) free(copies[--count]);
    }
    avahi.avahi_service_resolver_free(resolver);
}

static void browsed(
    AvahiServiceBrowser *browser, int interface, int protocol, int event, const char *name, const char *type, const char *domain, int flags,
    void *context
) {
    (void)flags;
    dualgauge_discovery *self = context;
    AvahiClient *client = avahi.avahi_service_browser_get_client(browser);
    switch (event) {
    case BROWSER_NEW:
        // A service that cannot be resolved is left out. The client frees the resolver that does not answer.
        avahi.avahi_service_resolver_new(client, interface, protocol, name, type, domain, ANY_PROTOCOL, 0, resolved, self);
        break;
    case BROWSER_REMOVE: self->callback(self->context, DUALGAUGE_DISCOVERY_LOST, name, NULL, NULL, 0, NULL, 0); break;
    case BROWSER_ALL_FOR_NOW: self->callback(self->context, DUALGAUGE_DISCOVERY_CAUGHT_UP, NULL, NULL, NULL, 0, NULL, 0); break;
    case BROWSER_FAILURE: fail_by_client(self, client); break;
    }
}

// Both

static void client_changed(AvahiClient *client, int state, void *context) {
    dualgauge_discovery *self = context;
    // The first call comes before `avahi_client_new` returns.
    self->client = client;
    if (state == CLIENT_FAILURE) return fail_by_client(self, client);
    if (state != CLIENT_RUNNING) return;
    if (self->name) return announce(self);
    if (!avahi.avahi_service_browser_new(client, ANY_INTERFACE, ANY_PROTOCOL, self->type, NULL, 0, browsed, self)) fail_by_client(self, client);
}

static dualgauge_discovery *begin(
    const char *name, const char *type, uint16_t port, const char *const *texts, size_t text_count, dualgauge_discovery_callback callback,
    void *context, const char **error
) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    *error = load_error;
    if (load_error) return NULL;
    dualgauge_discovery *self = calloc(1, sizeof *self);
    *error = "no memory";
    if (!self) return NULL;
    self->name = name ? strdup(name) : NULL;
    self->type = strdup(type);
    self->port = port;
    self->callback = callback;
    self->context = context;
    self->texts = text_count ? avahi.avahi_string_list_new_from_array((const char **)texts, (int)text_count) : NULL;
    self->poll = avahi.avahi_threaded_poll_new();
    if (!self->poll || !self->type) {
        dualgauge_discovery_end(self);
        return NULL;
    }
    int code = 0;
    self->client = avahi.avahi_client_new(avahi.avahi_threaded_poll_get(self->poll), 0, client_changed, self, &code);
    if (!self->client) {
        *error = avahi.avahi_strerror(code);
        dualgauge_discovery_end(self);
        return NULL;
    }
    if (avahi.avahi_threaded_poll_start(self->poll) < 0) {
        *error = "a thread cannot be started";
        dualgauge_discovery_end(self);
        return NULL;
    }
    *error = NULL;
    return self;
}

dualgauge_discovery *dualgauge_discovery_announce(
    const char *name, const char *type, uint16_t port, const char *const *texts, size_t text_count,
    dualgauge_discovery_callback callback, void *context, const char **error
) {
    return begin(name, type, port, texts, text_count, callback, context, error);
}

dualgauge_discovery *dualgauge_discovery_browse(
    const char *type, dualgauge_discovery_callback callback, void *context, const char **error
) {
    return begin(NULL, type, 0, NULL, 0, callback, context, error);
}

void dualgauge_discovery_end(dualgauge_discovery *self) {
    if (self->poll) avahi.avahi_threaded_poll_stop(self->poll);
    // The client's browsers, resolvers and groups are freed with it.
    if (self->client) avahi.avahi_client_free(self->client);
    if (self->poll) avahi.avahi_threaded_poll_free(self->poll);
    if (self->texts) avahi.avahi_string_list_free(self->texts);
    free(self->name);
    free(self->type);
    free(self);
}
