/// Routes that would sort a source's documents into collections, and what speaks for and against them.
public struct RouteSuggestion: Sendable, Equatable, Encodable {
    /// Whether a prefix may be stripped to make the IDs in the collection.
    public enum Stripping: String, Sendable, Equatable, Encodable {
        case safe
        /// Something else comes into the collection, and two documents could become one.
        case sharedCollection
        /// What is left of some ID is no ID.
        case badRest
    }

    public struct Rule: Sendable, Equatable, Encodable {
        /// `scope.name`.
        public var collection: String
        public var property: String?
        public var equals: String?
        public var idPrefix: String?

        /// How many documents of the sample come here. An earlier rule has taken its own away.
        public var documents = 0
        public var tombstones = 0
        public var examples: [String] = []

        /// For a prefix.
        public var stripping: Stripping?

        /// What one has to know before one takes it.
        public var notes: [String] = []

        public init(collection: String, property: String? = nil, equals: String? = nil, idPrefix: String? = nil) {
            self.collection = collection
            self.property = property
            self.equals = equals
            self.idPrefix = idPrefix
        }
    }

    public struct Group: Sendable, Equatable, Encodable {
        public var documents = 0
        public var examples: [String] = []

        mutating func add(_ id: String) {
            documents += 1
            if examples.count < ReportOutcome.exampleCount { examples.append(id) }
        }
    }

    /// How many documents the source has, as far as they are in its default collection.
    public var seen: Int

    /// How many of them were looked at.
    public var sampled: Int

    /// In order, the first match wins.
    public var rules: [Rule] = []

    /// Wanted by no rule.
    public var unmatched = Group()

    /// Tombstones that no rule wants: they have no properties.
    public var unmatchedTombstones = 0

    /// Wanted by several rules that lead to different collections.
    public var overlapping = Group()

    /// What speaks against the whole.
    public var notes: [String] = []
}
