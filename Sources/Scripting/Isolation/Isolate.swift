import CJavaScriptCore

/// A worker's JavaScript: one virtual machine, and a realm for each function. Belongs to one thread from start to end.
final class Isolate {
    private let group: JSContextGroupRef
    /// A context that runs nothing: what the lock below is held by.
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
        // JavaScriptCore runs what promises queued when its lock is given up, each step with a time limit of its own: an asynchronous
        // function that awaits for ever would hold the thread for ever. With the lock held, nothing asynchronous ever runs.
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

    /// The realm of a function if it is ready.
    func readyRealm(for key: ScriptKey) -> Realm? {
        guard let realm = realms[key] else { return nil }
        clock += 1
        realm.lastUse = clock
        return realm
    }

    /// Makes a function ready.
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

    /// Bytes of the heap. To be asked between calls only.
    func heapSize() -> Int {
        HeapStatistics.size(of: anchor)
    }
}

/// JavaScriptCore's options, which count for the whole process and have to be there before it is first used.
enum EngineOptions {
    /// Looks for a passed limit at every call and loop. By default compiled code is interrupted by a signal, which a script that
    /// keeps failing at the end of its stack hardly ever receives: `function f() { try { f() } finally { f() } }` ran for 30 s
    /// under a limit of 0.2 s, and 0.3 s with this.
    static let apply: Void = {
        _ = jsc_options_set_boolean("usePollingTraps", 1)
    }()
}
