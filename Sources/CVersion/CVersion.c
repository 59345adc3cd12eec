#include "CVersion.h"

// `make release` tells it (Package.swift).
#ifndef DUALGAUGE_COMMIT
#define DUALGAUGE_COMMIT ""
#endif

const char *dualgauge_commit(void) { return DUALGAUGE_COMMIT; }
