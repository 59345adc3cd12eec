/// Suggested routes for a source's documents, with their effects and problems.
package struct RouteSuggestion: Sendable, Equatable, Encodable {
    /// Whether the IDs in the collection can omit the prefix.
    package enum Stripping: String, Sendable, Equatable, Encodable {
        case safe
        /// Another rule has the same collection, so two documents could get the same ID.
        case sharedCollection
        /// At least one ID would be invalid without the prefix.
        case badRest
    }

    package struct Rule: Sendable, Equatable, Encodable {
        /// `scope.name`.
        package var collection: String
        package var property: String?
        package var equals: String?
        package var idPrefix: String?

        /// Number of sampled documents that this rule matches and no earlier rule does.
        package var documents = 0
        package var tombstones = 0
        package var examples: [String] = []

        /// Set for rules with an ID prefix.
        package var stripping: Stripping?

        /// Caveats of the rule.
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

    /// Number of documents in the source's default collection.
    package var seen: Int

    /// Number of sampled documents.
    package var sampled: Int

    /// Rules in order; the first match wins.
    package var rules: [Rule] = []

    /// Documents that no rule matches.
    package var unmatched = Group()

    /// Number of tombstones that no rule matches; tombstones have no properties.
    package var unmatchedTombstones = 0

    /// Documents that rules with different collections match.
    package var overlapping = Group()

    /// Caveats of the whole suggestion.
    package var notes: [String] = []
}
