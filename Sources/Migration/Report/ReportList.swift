/// A list that counts all elements and stores a bounded number of them.
package struct ReportList<Element: Codable & Sendable & Equatable>: Codable, Sendable, Equatable {
    /// Largest number of stored elements.
    package static var maximum: Int { 100_000 }

    package private(set) var count = 0

    /// The first elements.
    package private(set) var items: [Element] = []

    package init() {}

    /// Counts elements of an earlier process that were not stored.
    mutating func count(unlisted number: Int) { count += number }

    package mutating func add(_ element: Element) {
        count += 1
        if items.count < Self.maximum { items.append(element) }
    }
}

/// A document that could not be read or written, or one revision of it.
package struct ReportFailure: Codable, Sendable, Equatable {
    package var collection: String

    /// The document's ID, or the best available reference: `line 17`.
    package var id: String

    /// The revision, if only one is at fault.
    package var revision: String?

    /// Position in a source that may have several rows for one ID: `byte 1804137`.
    package var place: String?

    /// The problem, its location and its remedy.
    package var reason: String

    package init(collection: String = "_default._default", id: String, revision: String? = nil, place: String? = nil, reason: String) {
        self.collection = collection
        self.id = id
        self.revision = revision
        self.place = place
        self.reason = reason
    }
}

extension ReportFailure {
    /// Encodes every key; unknown values are null.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(collection, forKey: .collection)
        try values.encode(id, forKey: .id)
        try values.encode(revision, forKey: .revision)
        try values.encode(place, forKey: .place)
        try values.encode(reason, forKey: .reason)
    }
}

/// A revision that the source lists and the login cannot read. Its content is unknown.
package struct InaccessibleRevision: Codable, Sendable, Equatable {
    /// The document's ID.
    package var id: String

    /// `nil` if the login can read no revision of the document.
    package var revision: String?

    package init(id: String, revision: String? = nil) {
        self.id = id
        self.revision = revision
    }
}

extension InaccessibleRevision {
    /// Encodes every key; unknown values are null.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(id, forKey: .id)
        try values.encode(revision, forKey: .revision)
    }
}
