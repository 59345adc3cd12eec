/// The head of the journal of a run that moves documents between collections.
package struct MoveRun: Sendable, Equatable {
    package enum State: Int64, Sendable {
        case running = 0
        case done = 1
        case reverting = 2
        case reverted = 3
    }

    package let key: Int64

    /// Milliseconds since 1970.
    package let started: Int64
    package var finished: Int64?
    package var state: State

    /// The routes of the run, for the report and to recognise a repeated run.
    package let routes: String

    /// The last visited document. A repeated run continues after it.
    package var cursor: DocumentKey

    package init(key: Int64, started: Int64, finished: Int64?, state: State, routes: String, cursor: DocumentKey) {
        self.key = key
        self.started = started
        self.finished = finished
        self.state = state
        self.routes = routes
        self.cursor = cursor
    }
}

/// The move of a document in a run, with the data to revert it.
package struct MoveRecord: Sendable {
    package let document: DocumentKey
    package let fromCollection: CollectionKey
    package let fromUnifiedID: String?
    package let fromLocalID: String?

    package init(document: DocumentKey, fromCollection: CollectionKey, fromUnifiedID: String?, fromLocalID: String?) {
        self.document = document
        self.fromCollection = fromCollection
        self.fromUnifiedID = fromUnifiedID
        self.fromLocalID = fromLocalID
    }
}

/// The current state of a document that a run has moved.
package struct MovedDocumentRecord: Sendable {
    package let move: MoveRecord

    /// `nil` if it was purged.
    package let document: DocumentRecord?

    /// The winning revision's body; `nil` if it was never received.
    package let winnerBody: StoredBody?

    package init(move: MoveRecord, document: DocumentRecord?, winnerBody: StoredBody?) {
        self.move = move
        self.document = document
        self.winnerBody = winnerBody
    }
}

/// A document that was moved out of a collection, with its ID there.
package struct DepartureRecord: Sendable {
    package let collection: CollectionKey
    package let id: String
    package let document: DocumentKey

    /// The sequence of the move in the collection's feed.
    package let sequence: SequenceNumber

    package init(collection: CollectionKey, id: String, document: DocumentKey, sequence: SequenceNumber) {
        self.collection = collection
        self.id = id
        self.document = document
        self.sequence = sequence
    }
}
