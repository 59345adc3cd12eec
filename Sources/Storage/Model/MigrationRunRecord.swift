/// A run that brings documents in from elsewhere: its journal.
public struct MigrationRunRecord: Sendable, Equatable {
    public enum State: Int64, Sendable {
        case running = 0
        case finished = 1
        case cancelled = 2
    }

    /// 0 until the store has added it.
    public var key: Int64

    /// The source as messages call it, without credentials.
    public var source: String

    /// What tells the source from another one at the same place.
    public var identity: String?

    /// The routes, to tell a repeated run from another one.
    public var routes: String

    /// What else has to be the same.
    public var options: String

    /// Milliseconds since 1970.
    public var started: Int64
    public var finished: Int64?
    public var state: State

    /// Where the last batch that was written ended, in the source's own words.
    public var cursor: String?

    /// What was counted until there, in the words of whoever counts.
    public var counts: String

    public init(
        key: Int64 = 0, source: String, identity: String?, routes: String, options: String, started: Int64, finished: Int64? = nil,
        state: State = .running, cursor: String? = nil, counts: String
    ) {
        self.key = key
        self.source = source
        self.identity = identity
        self.routes = routes
        self.options = options
        self.started = started
        self.finished = finished
        self.state = state
        self.cursor = cursor
        self.counts = counts
    }
}
