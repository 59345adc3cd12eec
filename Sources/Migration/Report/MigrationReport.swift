import Foundation
package import Gateway

/// What a run has read, written and found wrong, while it goes on and when it has ended.
///
/// Encoded it is what `--json` and `--report run.json` give. The keys stay; others may come.
package struct MigrationReport: Codable, Sendable, Equatable {
    /// Grows when a key changes its meaning.
    package var format = 1

    package var run: ReportRun

    /// By collection, in their order.
    package private(set) var collections: [ReportCollection] = []

    package var timeline = ReportTimeline()

    /// What could not be read or written, all of it counted and as many as ``ReportList/maximum`` listed.
    package var failures = ReportList<ReportFailure>()

    /// Attachments that the source names and does not have, all of them counted and as many listed as of failures.
    package var missingAttachments = ReportList<MissingAttachment>()

    /// What the login may not see, all of it counted and as many listed as of failures. It is no failure, and not in quarantine: nothing came of it.
    package var unseen = ReportList<InaccessibleRevision>()

    /// `nil` until both sides have been compared.
    package var verification: ReportVerification?

    /// Whose view of the documents a move changes; `nil` for other runs.
    package var sight: AccessChangeReport?

    package init(run: ReportRun) {
        self.run = run
    }

    /// Counts something in a collection, which appears when first something is counted in it.
    ///
    /// What cannot be told a collection of, such as a line of a dump that is no document, is counted in `_default._default`.
    package mutating func count(in collection: String, _ change: (inout ReportCollection) -> Void) {
        let index = collections.firstIndex { $0.name >= collection } ?? collections.endIndex
        if index == collections.endIndex || collections[index].name != collection {
            collections.insert(ReportCollection(name: collection), at: index)
        }
        change(&collections[index])
    }

    /// All collections taken together.
    package var total: ReportCollection {
        collections.reduce(into: ReportCollection(name: "")) { $0 += $1 }
    }

    /// Whether everything is where it should be: exit code 0 then, 1 otherwise.
    package var isClean: Bool {
        let total = total
        return failures.count == 0 && total.clashes.documents == 0 && total.quarantined.documents == 0
            && (verification?.isEqual ?? true)
    }

    /// Whether it was said that a part of the source is meant.
    package var isPartMeant: Bool { run.options["partial"] == "true" }

    /// Whether the login has seen all that was to be read.
    package var sawEverything: Bool { isPartMeant || (run.seenChannels == nil && unseen.count == 0) }

    /// The report as JSON with sorted keys, the same for the same report.
    ///
    /// - Parameter isPretty: whether it is laid out for reading.
    package func json(isPretty: Bool = false) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
        return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
    }
}

extension MigrationReport {
    /// Every key is there, whatever the kind of run: programs need not know which of them it has.
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
