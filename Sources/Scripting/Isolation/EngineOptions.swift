import Foundation

/// JavaScriptCore's options, which it reads from the environment when it is first used.
enum EngineOptions {
    /// Looks for a passed limit at every call and loop. By default compiled code is interrupted by a signal, which a script that
    /// keeps failing at the end of its stack hardly ever receives: `function f() { try { f() } finally { f() } }` ran for 30 s
    /// under a limit of 0.2 s, and 0.3 s with this.
    ///
    /// Happens once, before the first engine's threads start.
    static let apply: Void = {
        setenv("JSC_usePollingTraps", "1", 0)
    }()
}
