/// Things of which all are counted, and as many listed as memory allows.
package struct ReportList<Element: Codable & Sendable & Equatable>: Codable, Sendable, Equatable {
    /// How many are listed.
    package static var maximum: Int { 100_000 }

    package private(set) var count = 0

    /// The first that came.
    package private(set) var items: [Element] = []

    package init() {}

    /// Counts some of which nothing is known any more.
    mutating func count(unlisted number: Int) { count += number }

    package mutating func add(_ element: Element) {
        count += 1
        if items.count < Self.maximum { items.append(element) }
    }
}

/// A document that could not be read or written, or a revision of one.
package struct ReportFailure: Codable, Sendable, Equatable {
    package var collection: String

    /// The document's ID, or the nearest to it that can be told: `line 17`.
    package var id: String

    /// The revision, where only one is at fault.
    package var revision: String?

    /// Where it stands in a source that may have several rows of one ID: `byte 1804137`.
    package var place: String?

    /// What is wrong, where, and what to do.
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
    /// Every key is there; what is not known is null.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(collection, forKey: .collection)
        try values.encode(id, forKey: .id)
        try values.encode(revision, forKey: .revision)
        try values.encode(place, forKey: .place)
        try values.encode(reason, forKey: .reason)
    }
}

/// A revision of which the source tells, and which the login may not see: nothing of it could be read.
package struct InaccessibleRevision: Codable, Sendable, Equatable {
    /// The document's ID.
    package var id: String

    /// `nil` where the login may see none of the document.
    package var revision: String?

    package init(id: String, revision: String? = nil) {
        self.id = id
        self.revision = revision
    }
}

extension InaccessibleRevision {
    /// Every key is there; what is not known is null.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(id, forKey: .id)
        try values.encode(revision, forKey: .revision)
    }
}
