/// The result of a store check.
package struct CheckReport: Sendable {
    /// The number of checked documents.
    package var documents: Int64 = 0

    /// The number of documents with ``DocumentFlags/misplaced``.
    package var misplaced: Int64 = 0

    /// The number of documents with ``DocumentFlags/qualified``.
    package var qualified: Int64 = 0

    /// The number of checked attachments.
    package var attachments: Int64 = 0

    /// The number of attachments that documents reference and the store never received.
    package var missingAttachments: Int64 = 0

    /// The number of attachment bytes read.
    package var attachmentBytes: Int64 = 0

    /// The first problems, up to the requested limit.
    package var problems: [StoreProblem] = []

    /// The total number of problems by subject.
    package var counts: [StoreProblem.Subject: Int] = [:]

    package init() {}

    /// The total number of problems.
    package var problemCount: Int { counts.values.reduce(0, +) }

    /// Whether there are no problems.
    package var isSound: Bool { counts.isEmpty }
}

/// An inconsistency in a store.
package struct StoreProblem: Hashable, Sendable {
    /// The subject of a problem.
    package enum Subject: String, Hashable, Sendable, CaseIterable {
        /// The engine's own structures, such as SQLite's pages and indexes.
        case file
        /// The counter and the counts.
        case database
        /// A document's row: its tree, winner, flags, sequences.
        case document
        /// The body of a revision.
        case body
        /// A reference to a document: a departure, a move, a version vector.
        case reference
        /// An attachment, its parts and its uses.
        case attachment
    }

    package let subject: Subject

    /// The inconsistency and its place.
    package let message: String

    package init(_ subject: Subject, _ message: String) {
        self.subject = subject
        self.message = message
    }
}

extension StoreProblem: CustomStringConvertible {
    package var description: String { "\(subject.rawValue): \(message)" }
}

/// The progress of a store check.
package struct CheckProgress: Sendable {
    /// The stages of a check, in order.
    package enum Stage: String, Sendable {
        case file, documents, references, attachments
    }

    package let stage: Stage

    /// The steps done in this stage, and their approximate total.
    package let done: Int64
    package let total: Int64

    package init(stage: Stage, done: Int64, total: Int64) {
        self.stage = stage
        self.done = done
        self.total = total
    }
}
