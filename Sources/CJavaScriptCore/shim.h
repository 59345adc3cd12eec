#pragma once
#include <stdbool.h>
#include <JavaScriptCore/JavaScript.h>

// Exported by the library; declared in JSBasePrivate.h, JSContextRefPrivate.h and JSLockRef.h, which are not installed.

typedef bool (*JSShouldTerminateCallback)(JSContextRef context, void *info);

JS_EXPORT void JSContextGroupSetExecutionTimeLimit(
    JSContextGroupRef group, double seconds, JSShouldTerminateCallback callback, void *info);
JS_EXPORT void JSContextGroupClearExecutionTimeLimit(JSContextGroupRef group);
JS_EXPORT JSObjectRef JSGetMemoryUsageStatistics(JSContextRef context);
JS_EXPORT void JSGlobalContextSetEvalEnabled(JSGlobalContextRef context, bool enabled, JSStringRef message);
JS_EXPORT void JSLock(JSContextRef context);
JS_EXPORT void JSUnlock(JSContextRef context);

// Declared in jsc/JSCOptions.h, which brings GLib with it.
JS_EXPORT int jsc_options_set_boolean(const char *option, int value);
