/// A run that moves documents between collections: its journal's head.
public struct MoveRun: Sendable, Equatable {
    public enum State: Int64, Sendable {
        case running = 0
        case done = 1
        case reverting = 2
        case reverted = 3
    }

    public let key: Int64

    /// Milliseconds since 1970.
    public let started: Int64
    public var finished: Int64?
    public var state: State

    /// The routes as the run was given them, for the report and to tell a repeated run from another one.
    public let routes: String

    /// The last document that was looked at: a second run goes on behind it.
    public var cursor: DocumentKey

    public init(key: Int64, started: Int64, finished: Int64?, state: State, routes: String, cursor: DocumentKey) {
        self.key = key
        self.started = started
        self.finished = finished
        self.state = state
        self.routes = routes
        self.cursor = cursor
    }
}
