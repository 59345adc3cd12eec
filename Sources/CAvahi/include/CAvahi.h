// DNS-SD by the Avahi daemon. Avahi's client library is loaded when it is needed, so that no program needs it at its start or to be built.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct dualgauge_discovery dualgauge_discovery;

enum dualgauge_discovery_event {
    /// The service is announced; `name` is its name.
    DUALGAUGE_DISCOVERY_ANNOUNCED = 0,
    /// A service was found and resolved.
    DUALGAUGE_DISCOVERY_FOUND = 1,
    /// A service has gone; only `name` is set.
    DUALGAUGE_DISCOVERY_LOST = 2,
    /// All services that the network knows at present were found.
    DUALGAUGE_DISCOVERY_CAUGHT_UP = 3,
    /// The daemon has ended, or has refused the request; `name` is the reason. No further events follow.
    DUALGAUGE_DISCOVERY_FAILED = 4,
};

/// The parameters are valid during the call, which a thread of the library makes.
typedef void (*dualgauge_discovery_callback)(
    void *context, enum dualgauge_discovery_event event, const char *name, const char *host, const char *address, uint16_t port,
    const char *const *texts, size_t text_count);

/// Announces a service of this machine.
///
/// Returns NULL after an error; `error` then has its reason, which is constant or lasts until the next call.
dualgauge_discovery *dualgauge_discovery_announce(
    const char *name, const char *type, uint16_t port, const char *const *texts, size_t text_count,
    dualgauge_discovery_callback callback, void *context, const char **error);

/// Finds services of a type. Returns as above.
dualgauge_discovery *dualgauge_discovery_browse(
    const char *type, dualgauge_discovery_callback callback, void *context, const char **error);

/// Ends an announcement or a search. No callback is called afterwards. Must not be called by a callback.
void dualgauge_discovery_end(dualgauge_discovery *discovery);
