/// Counts of one collection: what was read and its outcome.
package struct ReportCollection: Codable, Sendable, Equatable {
    /// `scope.name`.
    package var name: String

    // Counts of the source.

    /// Includes tombstones.
    package var documents = 0
    package var tombstones = 0
    package var conflicts = 0
    package var attachments = 0

    /// Bytes of bodies and attachments.
    package var bytes = 0

    // Outcomes of the documents.

    /// Written by this run; in a dry run, those that would be written.
    package var written = ReportOutcome()

    /// Already stored with all revisions before this run.
    package var alreadyThere = ReportOutcome()

    /// In this collection because no route matches them.
    package var unmatched = ReportOutcome()

    /// Not written because another document has their ID or their legacy ID.
    package var clashes = ReportOutcome()

    /// Not written, or not completely, and quarantined with the reason.
    package var quarantined = ReportOutcome()

    /// Attachments whose bytes the source lacks, of documents that were or would be written.
    package var missingAttachments = 0

    package init(name: String) {
        self.name = name
    }

    /// Accepts journals of earlier versions, which lack `missingAttachments`.
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

/// A number of documents with a few of their IDs.
package struct ReportOutcome: Codable, Sendable, Hashable {
    /// Largest number of examples.
    package static let exampleCount = 5

    package private(set) var documents = 0

    /// IDs of the first documents.
    package private(set) var examples: [String] = []

    package init() {}

    /// - Parameter examples: IDs, of which the first ``exampleCount`` are used.
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
