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

/// One document's move in a run, with what is needed to undo it.
public struct MoveRecord: Sendable {
    public let document: DocumentKey
    public let fromCollection: CollectionKey
    public let fromUnifiedID: String?
    public let fromLocalID: String?

    public init(document: DocumentKey, fromCollection: CollectionKey, fromUnifiedID: String?, fromLocalID: String?) {
        self.document = document
        self.fromCollection = fromCollection
        self.fromUnifiedID = fromUnifiedID
        self.fromLocalID = fromLocalID
    }
}

/// A document that a run has moved, as it is now.
public struct MovedDocumentRecord: Sendable {
    public let move: MoveRecord

    /// `nil` if it was purged.
    public let document: DocumentRecord?

    /// The winning revision's body; `nil` if it never came.
    public let winnerBody: StoredBody?

    package init(move: MoveRecord, document: DocumentRecord?, winnerBody: StoredBody?) {
        self.move = move
        self.document = document
        self.winnerBody = winnerBody
    }
}

/// A document that lived in a collection under an ID and was moved out of it.
public struct DepartureRecord: Sendable {
    public let collection: CollectionKey
    public let id: String
    public let document: DocumentKey

    /// The collection's sequence at which it left.
    public let sequence: SequenceNumber

    public init(collection: CollectionKey, id: String, document: DocumentKey, sequence: SequenceNumber) {
        self.collection = collection
        self.id = id
        self.document = document
        self.sequence = sequence
    }
}
