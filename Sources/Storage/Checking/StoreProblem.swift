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
