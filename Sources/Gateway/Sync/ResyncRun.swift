import Storage

/// A run that has sync functions judge all documents of some collections anew: the head of its journal.
public struct ResyncRun: Sendable, Equatable {
    public enum State: String, Sendable {
        case running
        /// Somebody has stopped it. It goes on where it was when it is started again.
        case stopped
        case completed
        /// Something went wrong; ``ResyncRun/lastError`` says what. It goes on where it was when it is started again.
        case error
    }

    /// Names the run: a UUID.
    public let id: String

    /// Milliseconds since 1970.
    public internal(set) var started: Int64
    public internal(set) var state: State

    /// What it covers.
    public let collections: [CollectionName]

    /// Documents that were looked at.
    public internal(set) var processed = 0

    /// Documents whose channels or grants turned out to be others than before.
    public internal(set) var changed = 0

    /// Why it failed; empty if it did not.
    public internal(set) var lastError = ""

    /// Whether documents come into their channels where they were written, and nobody is told of it.
    let isAsWritten: Bool

    /// What it has yet to go through; the first is being gone through.
    var remaining: [CollectionKey]

    /// The last document of that collection that was looked at.
    var cursor = DocumentKey(0)

    /// The function of that collection by which those before the cursor were judged.
    var fingerprint = ""

    init(
        id: String, started: Int64, collections: [CollectionName], remaining: [CollectionKey], state: State = .running,
        isAsWritten: Bool = false
    ) {
        self.id = id
        self.started = started
        self.collections = collections
        self.remaining = remaining
        self.state = state
        self.isAsWritten = isAsWritten
    }

    /// Whether the journal says that nobody else has gone on with it, or stopped it.
    func isAtSamePlace(as other: ResyncRun?) -> Bool {
        guard let other else { return false }
        return id == other.id && remaining == other.remaining && cursor == other.cursor && other.state == .running
    }
}
