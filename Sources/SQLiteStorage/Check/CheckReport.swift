/// What a check of a store found.
public struct CheckReport: Sendable {
    /// How many documents were looked at.
    public var documents: Int64 = 0

    /// How many of them the routes want elsewhere.
    public var misplaced: Int64 = 0

    /// How many of them have a legacy ID that is not the derived one, or had before their collection was hidden.
    public var qualified: Int64 = 0

    /// How many attachments were read.
    public var attachments: Int64 = 0

    /// How many attachments documents name whose bytes never came.
    public var missingAttachments: Int64 = 0

    /// How many bytes of attachments were read.
    public var attachmentBytes: Int64 = 0

    /// The first problems, as many as were asked for.
    public var problems: [StoreProblem] = []

    /// How many problems there are in all, by subject.
    public var counts: [StoreProblem.Subject: Int] = [:]

    public init() {}

    /// How many problems there are in all.
    public var problemCount: Int { counts.values.reduce(0, +) }

    /// Whether nothing was found.
    public var isSound: Bool { counts.isEmpty }
}

/// Something that does not make sense in a store.
public struct StoreProblem: Hashable, Sendable {
    /// What the problem is about.
    public enum Subject: String, Hashable, Sendable, CaseIterable {
        /// SQLite's file: pages and indexes.
        case file
        /// The counter and the counts.
        case database
        /// A document's row: its tree, winner, flags, sequences.
        case document
        /// The body of a revision.
        case body
        /// A departure, a move, a vector: what points to a document.
        case reference
        /// An attachment, its parts and who uses it.
        case attachment
    }

    public let subject: Subject

    /// What does not make sense, and where.
    public let message: String

    public init(_ subject: Subject, _ message: String) {
        self.subject = subject
        self.message = message
    }
}

extension StoreProblem: CustomStringConvertible {
    public var description: String { "\(subject.rawValue): \(message)" }
}

/// How far a check of a store is.
public struct CheckProgress: Sendable {
    /// What a check looks at, in this order.
    public enum Stage: String, Sendable {
        case file, documents, references, attachments
    }

    public let stage: Stage

    /// Steps done in this stage, and how many there are, about.
    public let done: Int64
    public let total: Int64

    public init(stage: Stage, done: Int64, total: Int64) {
        self.stage = stage
        self.done = done
        self.total = total
    }
}
