package import Gateway

/// A source of documents: a live server, a database file, a dump, a Dualgauge store.
///
/// A source is read in batches that end at cursors. Reading can resume at any cursor of the source, in another process and at any later time.
/// Reading never changes the source. Only one caller may read batches at a time; attachments may be read concurrently.
package protocol MigrationSource: Sendable {
    /// Name of the source in messages and reports: the endpoint without credentials.
    var label: String { get }

    /// Description of the source before reading. This is cheap; counts that require a full scan are omitted.
    func summary() async throws -> SourceSummary

    /// Performs long preparations before the first batch. Most sources have none.
    ///
    /// - Parameter progress: Called from time to time; an error that it throws aborts the preparation.
    /// - Throws: ``SourceError``, and the errors of `progress`.
    func prepare(_ progress: @Sendable (MigrationProgress) throws -> Void) async throws

    /// The next documents, in an order that is the same in every run.
    ///
    /// A fault of one document is an item of the batch, never an error of the whole batch.
    ///
    /// - Parameter cursor: The end of an earlier batch; `nil` for the beginning.
    /// - Returns: `nil` at the end.
    /// - Throws: ``SourceError`` if the source as a whole is unreadable or currently unreachable.
    func batch(after cursor: SourceCursor?, limits: SourceBatchLimits) async throws -> SourceBatch?

    /// Reads an attachment in parts of bounded size.
    ///
    /// - Throws: ``SourceError`` with code `attachmentMissing` if the source lacks the bytes, and the errors of `consume`.
    func readAttachment(_ attachment: SourceAttachment, _ consume: (ArraySlice<UInt8>) async throws -> Void) async throws

    /// Closes files and connections.
    func close() async
}

extension MigrationSource {
    package func prepare(_ progress: @Sendable (MigrationProgress) throws -> Void) async throws {}
}

/// Description of a source before reading.
package struct SourceSummary: Sendable, Equatable {
    /// Kind of the source: `Couchbase Lite 1.x database (SQLite)`, `Sync Gateway 2.8.4`.
    package var kind: String

    /// Identity of the source, such as a database's UUID, so that a run is not resumed with another source at the same location.
    package var identity: String?

    /// Number of documents including tombstones; `nil` if counting requires a full scan.
    package var documents: Int?

    /// Its named collections, without the default collection.
    package var collections: [CollectionName] = []

    /// Channels that limit the login; `nil` if the login can read every document or there is no login.
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

/// Error of a source.
package struct SourceError: Error, Sendable, CustomStringConvertible {
    package enum Code: String, Hashable, Sendable, CustomStringConvertible {
        /// The path does not exist or the server does not respond. Exit code 3.
        case unreachable
        /// The source is of an unsupported kind, or its content does not match its form. Exit code 2.
        case unsupported
        /// The source is encrypted. Exit code 2.
        case encrypted
        /// The damage is not limited to single documents.
        case damaged
        /// The source requires a login, or rejects the given one. Exit code 2.
        case unauthorized
        /// The server has no such database. Exit code 2.
        case noDatabase
        /// The source lacks an attachment's bytes.
        case attachmentMissing
        /// The cursor is invalid, because the source has changed or is another one.
        case changed

        package var description: String { rawValue }
    }

    package let code: Code

    /// The problem, its location and its remedy.
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
