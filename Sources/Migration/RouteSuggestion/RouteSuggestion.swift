/// Routes that would sort a source's documents into collections, and what speaks for and against them.
package struct RouteSuggestion: Sendable, Equatable, Encodable {
    /// Whether a prefix may be stripped to make the IDs in the collection.
    package enum Stripping: String, Sendable, Equatable, Encodable {
        case safe
        /// Something else comes into the collection, and two documents could become one.
        case sharedCollection
        /// What is left of some ID is no ID.
        case badRest
    }

    package struct Rule: Sendable, Equatable, Encodable {
        /// `scope.name`.
        package var collection: String
        package var property: String?
        package var equals: String?
        package var idPrefix: String?

        /// How many documents of the sample come here. An earlier rule has taken its own away.
        package var documents = 0
        package var tombstones = 0
        package var examples: [String] = []

        /// For a prefix.
        package var stripping: Stripping?

        /// What one has to know before one takes it.
        package var notes: [String] = []

        package init(collection: String, property: String? = nil, equals: String? = nil, idPrefix: String? = nil) {
            self.collection = collection
            self.property = property
            self.equals = equals
            self.idPrefix = idPrefix
        }
    }

    package struct Group: Sendable, Equatable, Encodable {
        package var documents = 0
        package var examples: [String] = []

        mutating func add(_ id: String) {
            documents += 1
            if examples.count < ReportOutcome.exampleCount { examples.append(id) }
        }
    }

    /// How many documents the source has, as far as they are in its default collection.
    package var seen: Int

    /// How many of them were looked at.
    package var sampled: Int

    /// In order, the first match wins.
    package var rules: [Rule] = []

    /// Wanted by no rule.
    package var unmatched = Group()

    /// Tombstones that no rule wants: they have no properties.
    package var unmatchedTombstones = 0

    /// Wanted by several rules that lead to different collections.
    package var overlapping = Group()

    /// What speaks against the whole.
    package var notes: [String] = []
}
