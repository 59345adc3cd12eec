public import Gateway

/// Where documents are read from: a live server, a database file, a dump, a store of ours.
///
/// A source is read in batches, each of which ends at a cursor; reading goes on after any cursor that the source has given, in another
/// process and another year too. Reading never changes the source. One caller at a time reads batches; attachments are read beside them.
public protocol MigrationSource: Sendable {
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
    public func prepare(_ progress: @Sendable (MigrationProgress) throws -> Void) async throws {}
}

/// What can be said of a source before it is read.
public struct SourceSummary: Sendable, Equatable {
    /// What it is: `Couchbase Lite 1.x database (SQLite)`, `Sync Gateway 2.8.4`.
    public var kind: String

    /// What tells this source from another at the same place, so that a run is not continued with the wrong one: a database's UUID.
    public var identity: String?

    /// How many documents it has, tombstones included; `nil` if only reading would tell.
    public var documents: Int?

    /// The named collections that it has, besides the default one.
    public var collections: [CollectionName] = []

    /// The channels to which the login is limited; `nil` where it sees every document, or there is no login.
    public var seenChannels: [String]?

    public init(
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
public struct SourceError: Error, Sendable, CustomStringConvertible {
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// Nothing is there, or nobody answers. Exit code 3.
        public static let unreachable = Code("unreachable")
        /// It is there, but is not what its form says, or of a kind that cannot be read. Exit code 2.
        public static let unsupported = Code("unsupported")
        /// It is encrypted. Exit code 2.
        public static let encrypted = Code("encrypted")
        /// It is damaged beyond single documents.
        public static let damaged = Code("damaged")
        /// It wants a login, or another one. Exit code 2.
        public static let unauthorized = Code("unauthorized")
        /// The server answers, and has no such database. Exit code 2.
        public static let noDatabase = Code("noDatabase")
        /// An attachment's bytes are not there.
        public static let attachmentMissing = Code("attachmentMissing")
        /// It is another source, or has changed so that the cursor means nothing any more.
        public static let changed = Code("changed")
    }

    public let code: Code

    /// What happened, where, and what to do.
    public let message: String
    public let cause: (any Error)?

    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String {
        cause.map { "\(message) (\($0))" } ?? message
    }
}
