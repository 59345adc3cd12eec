#pragma once

/// The commit from which the program was built; empty where the build does not tell.
const char *dualgauge_commit(void);
