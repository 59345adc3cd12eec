#pragma once
#include <stdbool.h>
#include <JavaScriptCore/JavaScript.h>

// Exported by the library; declared in JSContextRefPrivate.h, which is not installed.

typedef bool (*JSShouldTerminateCallback)(JSContextRef context, void *info);

JS_EXPORT void JSContextGroupSetExecutionTimeLimit(
    JSContextGroupRef group, double seconds, JSShouldTerminateCallback callback, void *info);
JS_EXPORT void JSContextGroupClearExecutionTimeLimit(JSContextGroupRef group);
JS_EXPORT JSObjectRef JSGetMemoryUsageStatistics(JSContextRef context);
