public import Gateway

/// Documents that were replicated together, in one direction.
public struct DocumentReplication: Sendable {
    /// Whether they were pushed; otherwise they were pulled.
    public let isPush: Bool
    public let documents: [ReplicatedDocument]

    public init(isPush: Bool, documents: [ReplicatedDocument]) {
        self.isPush = isPush
        self.documents = documents
    }
}

/// What became of one document.
public struct ReplicatedDocument: Sendable, Hashable {
    /// What is special about it.
    public struct Flags: OptionSet, Hashable, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// It was deleted.
        public static let deleted = Flags(rawValue: 1)
        /// The user has lost access to it.
        public static let accessRemoved = Flags(rawValue: 2)
    }

    public let collection: CollectionName
    public let id: String
    public let flags: Flags

    /// Why it was not replicated; `nil` if it was.
    public let error: ReplicatorError?

    public init(collection: CollectionName, id: String, flags: Flags = [], error: ReplicatorError? = nil) {
        self.collection = collection
        self.id = id
        self.flags = flags
        self.error = error
    }
}
