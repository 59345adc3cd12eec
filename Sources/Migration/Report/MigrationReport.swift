import Foundation
package import Gateway

/// What a run has read and written, and its failures, during the run and after it.
///
/// Its JSON is the output of `--json` and `--report run.json`. Keys are stable; keys may be added.
package struct MigrationReport: Codable, Sendable, Equatable {
    /// Incremented when a key changes its meaning.
    package var format = 1

    package var run: ReportRun

    /// Counts by collection, sorted by name.
    package private(set) var collections: [ReportCollection] = []

    package var timeline = ReportTimeline()

    /// Documents and revisions that could not be read or written. All are counted; ``ReportList/maximum`` of them are listed.
    package var failures = ReportList<ReportFailure>()

    /// Attachments that the source references and lacks. All are counted; ``ReportList/maximum`` of them are listed.
    package var missingAttachments = ReportList<MissingAttachment>()

    /// Revisions that the login cannot read. All are counted; ``ReportList/maximum`` of them are listed. They are neither failures nor
    /// quarantined, because the source returned none of their content.
    package var unseen = ReportList<InaccessibleRevision>()

    /// `nil` until both sides are compared.
    package var verification: ReportVerification?

    /// Users whose read access a move changes; `nil` for other kinds of run.
    package var sight: AccessChangeReport?

    package init(run: ReportRun) {
        self.run = run
    }

    /// Changes the counts of a collection, which is added on first use.
    ///
    /// Items without a known collection, such as a line of a dump that is not a document, count in `_default._default`.
    package mutating func count(in collection: String, _ change: (inout ReportCollection) -> Void) {
        let index = collections.firstIndex { $0.name >= collection } ?? collections.endIndex
        if index == collections.endIndex || collections[index].name != collection {
            collections.insert(ReportCollection(name: collection), at: index)
        }
        change(&collections[index])
    }

    /// Sum of all collections.
    package var total: ReportCollection {
        collections.reduce(into: ReportCollection(name: "")) { $0 += $1 }
    }

    /// Whether the run has no failures, clashes, quarantined documents or differences. The exit code is 0 if so, otherwise 1.
    package var isClean: Bool {
        let total = total
        return failures.count == 0 && total.clashes.documents == 0 && total.quarantined.documents == 0
            && (verification?.isEqual ?? true)
    }

    /// Whether the run was limited to a part of the source on request.
    package var isPartMeant: Bool { run.options["partial"] == "true" }

    /// Whether the login could read every document that was requested.
    package var sawEverything: Bool { isPartMeant || (run.seenChannels == nil && unseen.count == 0) }

    /// The report as JSON with sorted keys; equal reports give equal bytes.
    ///
    /// - Parameter isPretty: Whether the JSON is indented.
    package func json(isPretty: Bool = false) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
        return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
    }
}

extension MigrationReport {
    /// Encodes every key for every kind of run, so that programs need not distinguish the kinds.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(format, forKey: .format)
        try values.encode(run, forKey: .run)
        try values.encode(collections, forKey: .collections)
        try values.encode(timeline, forKey: .timeline)
        try values.encode(failures, forKey: .failures)
        try values.encode(missingAttachments, forKey: .missingAttachments)
        try values.encode(unseen, forKey: .unseen)
        try values.encode(verification, forKey: .verification)
        try values.encode(sight, forKey: .sight)
    }
}
