#pragma once
#include <crypt.h>
#include <stddef.h>

// The working area is larger than the arrays that Swift imports, so that it is known here by its size alone.

static inline size_t dualgauge_crypt_size(void) {
    return sizeof(struct crypt_data);
}

static inline const char *dualgauge_crypt(const char *phrase, const char *setting, void *area) {
    return crypt_r(phrase, setting, (struct crypt_data *)area);
}
