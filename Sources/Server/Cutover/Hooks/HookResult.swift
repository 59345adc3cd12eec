/// What came of a hook.
struct HookResult: Hashable, Sendable {
    enum End: Hashable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)
        case timedOut
        case notStarted(String)
    }

    let path: String
    let end: End

    /// What it has written, as far as it is kept.
    let output: String

    var hasSucceeded: Bool { end == .exited(0) }

    /// How it ended, in a few words.
    var description: String {
        switch end {
        case .exited(let code): "\(path) ended with exit code \(code)"
        case .killed(let signal): "\(path) was ended by signal \(signal)"
        case .timedOut: "\(path) took too long and was ended"
        case .notStarted(let why): "\(path) cannot be started: \(why)"
        }
    }
}
