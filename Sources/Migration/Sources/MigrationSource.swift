package import Gateway

/// Where documents are read from: a live server, a database file, a dump, a store of ours.
///
/// A source is read in batches, each of which ends at a cursor; reading goes on after any cursor that the source has given, in another
/// process and another year too. Reading never changes the source. One caller at a time reads batches; attachments are read beside them.
package protocol MigrationSource: Sendable {
    /// How messages and reports call it: the endpoint without credentials.
    var label: String { get }

    /// What can be said before anything is read. Cheap: nothing is counted that would have to be read through.
    func summary() async throws -> SourceSummary

    /// Does what takes long before the first batch can be read. Most sources have nothing to do.
    ///
    /// - Parameter progress: is told now and then; what it throws ends the work.
    /// - Throws: ``SourceError``, and what `progress` throws.
    func prepare(_ progress: @Sendable (MigrationProgress) throws -> Void) async throws

    /// The next documents, in an order of the source's own that stays the same between runs.
    ///
    /// What is wrong with one document is one of the batch's items, never an error of the whole.
    ///
    /// - Parameter cursor: where an earlier batch ended; `nil` for the beginning.
    /// - Returns: `nil` when there are no more.
    /// - Throws: ``SourceError`` if the source as a whole cannot be read, or not at the moment.
    func batch(after cursor: SourceCursor?, limits: SourceBatchLimits) async throws -> SourceBatch?

    /// Reads an attachment in parts of bounded size.
    ///
    /// - Throws: ``SourceError`` with code `attachmentMissing` if the source does not have its bytes; what `consume` throws.
    func readAttachment(_ attachment: SourceAttachment, _ consume: (ArraySlice<UInt8>) async throws -> Void) async throws

    /// Lets go of files and connections.
    func close() async
}

extension MigrationSource {
    package func prepare(_ progress: @Sendable (MigrationProgress) throws -> Void) async throws {}
}

/// What can be said of a source before it is read.
package struct SourceSummary: Sendable, Equatable {
    /// What it is: `Couchbase Lite 1.x database (SQLite)`, `Sync Gateway 2.8.4`.
    package var kind: String

    /// What tells this source from another at the same place, so that a run is not continued with the wrong one: a database's UUID.
    package var identity: String?

    /// How many documents it has, tombstones included; `nil` if only reading would tell.
    package var documents: Int?

    /// The named collections that it has, besides the default one.
    package var collections: [CollectionName] = []

    /// The channels to which the login is limited; `nil` where it sees every document, or there is no login.
    package var seenChannels: [String]?

    package init(
        kind: String, identity: String? = nil, documents: Int? = nil, collections: [CollectionName] = [], seenChannels: [String]? = nil
    ) {
        self.kind = kind
        self.identity = identity
        self.documents = documents
        self.collections = collections
        self.seenChannels = seenChannels
    }
}

/// Why a source cannot be read.
package struct SourceError: Error, Sendable, CustomStringConvertible {
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// Nothing is there, or nobody answers. Exit code 3.
        package static let unreachable = Code("unreachable")
        /// It is there, but is not what its form says, or of a kind that cannot be read. Exit code 2.
        package static let unsupported = Code("unsupported")
        /// It is encrypted. Exit code 2.
        package static let encrypted = Code("encrypted")
        /// It is damaged beyond single documents.
        package static let damaged = Code("damaged")
        /// It wants a login, or another one. Exit code 2.
        package static let unauthorized = Code("unauthorized")
        /// The server answers, and has no such database. Exit code 2.
        package static let noDatabase = Code("noDatabase")
        /// An attachment's bytes are not there.
        package static let attachmentMissing = Code("attachmentMissing")
        /// It is another source, or has changed so that the cursor means nothing any more.
        package static let changed = Code("changed")
    }

    package let code: Code

    /// What happened, where, and what to do.
    package let message: String
    package let cause: (any Error)?

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    package var description: String {
        cause.map { "\(message) (\($0))" } ?? message
    }
}
