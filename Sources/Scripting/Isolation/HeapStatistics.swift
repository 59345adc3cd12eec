import CJavaScriptCore

/// What JavaScriptCore tells about a heap.
enum HeapStatistics {
    /// Bytes of the heap that the context is in. Walks over the heap; while a script runs, to be asked only with no limit set, for
    /// a limit that passed meanwhile would ask again from inside.
    static func size(of context: JSContextRef) -> Int {
        guard let statistics = JSGetMemoryUsageStatistics(context) else { return 0 }
        let name = JSStringCreateWithUTF8CString("heapSize")
        defer { JSStringRelease(name) }
        let size = JSValueToNumber(context, JSObjectGetProperty(context, statistics, name, nil), nil)
        return Int(exactly: size.rounded()) ?? 0
    }
}
