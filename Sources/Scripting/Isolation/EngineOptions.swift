import CJavaScriptCore

/// JavaScriptCore's options, which count for the whole process and have to be there before it is first used.
enum EngineOptions {
    /// Looks for a passed limit at every call and loop. By default compiled code is interrupted by a signal, which a script that
    /// keeps failing at the end of its stack hardly ever receives: `function f() { try { f() } finally { f() } }` ran for 30 s
    /// under a limit of 0.2 s, and 0.3 s with this.
    static let apply: Void = {
        _ = jsc_options_set_boolean("usePollingTraps", 1)
    }()
}
