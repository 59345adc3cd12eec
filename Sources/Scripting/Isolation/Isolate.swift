import CJavaScriptCore

/// A worker's JavaScript: one virtual machine, and a realm for each function. Confined to one thread.
final class Isolate {
    private let group: JSContextGroupRef
    /// A context that runs nothing; it holds the lock of the context group.
    private let anchor: JSGlobalContextRef
    private let watch: Watch
    private let limits: ScriptLimits
    private var realms: [ScriptKey: Realm] = [:]
    private var clock = 0

    init?(watch: Watch, limits: ScriptLimits) {
        guard let group = JSContextGroupCreate() else { return nil }
        guard let anchor = JSGlobalContextCreateInGroup(group, nil) else {
            JSContextGroupRelease(group)
            return nil
        }
        self.group = group
        self.anchor = anchor
        self.watch = watch
        self.limits = limits
        // JavaScriptCore runs queued promise jobs when its lock is released, each with its own time limit: an asynchronous function that awaits
        // forever would block the thread forever. While the lock is held, no asynchronous code runs.
        JSLock(anchor)
        watch.watch(group)
    }

    deinit {
        watch.isClosing = true
        watch.watch(group)
        JSUnlock(anchor)
        realms.removeAll()
        JSGlobalContextRelease(anchor)
        JSContextGroupRelease(group)
        watch.isClosing = false
    }

    /// The realm of a function if it is compiled.
    func readyRealm(for key: ScriptKey) -> Realm? {
        guard let realm = realms[key] else { return nil }
        clock += 1
        realm.lastUse = clock
        return realm
    }

    /// Compiles a function.
    func makeRealm(for key: ScriptKey) throws(ScriptError) -> Realm {
        if realms.count >= limits.functionsPerWorker, let oldest = realms.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            realms[oldest.key] = nil
        }
        let realm = try Realm(key, group: group, watch: watch, limits: limits)
        clock += 1
        realm.lastUse = clock
        realms[key] = realm
        return realm
    }

    /// Bytes of the heap. Call only between calls of functions.
    func heapSize() -> Int {
        HeapStatistics.size(of: anchor)
    }
}

/// JavaScriptCore's options, which apply to the whole process and must be set before its first use.
enum EngineOptions {
    /// Checks time limits by polling at every call and loop. By default, a signal interrupts compiled code. A script that keeps failing at the
    /// end of its stack hardly ever receives that signal: `function f() { try { f() } finally { f() } }` ran for 30 s under a limit of 0.2 s, and
    /// runs for 0.3 s with polling.
    static let apply: Void = {
        _ = jsc_options_set_boolean("usePollingTraps", 1)
    }()
}
