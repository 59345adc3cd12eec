/// What was read for one collection, and what became of it.
package struct ReportCollection: Codable, Sendable, Equatable {
    /// `scope.name`.
    package var name: String

    // What the source has for it.

    /// Tombstones included.
    package var documents = 0
    package var tombstones = 0
    package var conflicts = 0
    package var attachments = 0

    /// Of bodies and attachments.
    package var bytes = 0

    // What became of the documents.

    /// Written by this run, or, if it is a dry one, to be written.
    package var written = ReportOutcome()

    /// There before this run, with all revisions.
    package var alreadyThere = ReportOutcome()

    /// Here because no route wants them.
    package var unmatched = ReportOutcome()

    /// Not here because another document has their ID or their legacy ID.
    package var clashes = ReportOutcome()

    /// Not written, or not wholly, and kept with the reason.
    package var quarantined = ReportOutcome()

    /// Attachments of documents that are written, or would be, whose bytes the source does not have.
    package var missingAttachments = 0

    package init(name: String) {
        self.name = name
    }

    /// Journals of earlier versions say nothing of missing attachments.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        name = try values.decode(String.self, forKey: .name)
        documents = try values.decode(Int.self, forKey: .documents)
        tombstones = try values.decode(Int.self, forKey: .tombstones)
        conflicts = try values.decode(Int.self, forKey: .conflicts)
        attachments = try values.decode(Int.self, forKey: .attachments)
        bytes = try values.decode(Int.self, forKey: .bytes)
        written = try values.decode(ReportOutcome.self, forKey: .written)
        alreadyThere = try values.decode(ReportOutcome.self, forKey: .alreadyThere)
        unmatched = try values.decode(ReportOutcome.self, forKey: .unmatched)
        clashes = try values.decode(ReportOutcome.self, forKey: .clashes)
        quarantined = try values.decode(ReportOutcome.self, forKey: .quarantined)
        missingAttachments = try values.decodeIfPresent(Int.self, forKey: .missingAttachments) ?? 0
    }

    package static func += (total: inout ReportCollection, part: ReportCollection) {
        total.documents += part.documents
        total.tombstones += part.tombstones
        total.conflicts += part.conflicts
        total.attachments += part.attachments
        total.bytes += part.bytes
        total.written += part.written
        total.alreadyThere += part.alreadyThere
        total.unmatched += part.unmatched
        total.clashes += part.clashes
        total.quarantined += part.quarantined
        total.missingAttachments += part.missingAttachments
    }
}

/// How many documents something happened to, with a few of their IDs.
package struct ReportOutcome: Codable, Sendable, Hashable {
    /// How many examples are kept.
    package static let exampleCount = 5

    package private(set) var documents = 0

    /// The first that came.
    package private(set) var examples: [String] = []

    package init() {}

    /// - Parameter examples: at most ``exampleCount`` of them are kept.
    package init(documents: Int, examples: [String]) {
        self.documents = documents
        self.examples = Array(examples.prefix(Self.exampleCount))
    }

    package mutating func add(_ id: String) {
        documents += 1
        if examples.count < Self.exampleCount { examples.append(id) }
    }

    package static func += (total: inout ReportOutcome, part: ReportOutcome) {
        total.documents += part.documents
        total.examples += part.examples.prefix(exampleCount - total.examples.count)
    }
}
