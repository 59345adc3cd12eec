public import Documents

/// A document as a server has it: all of its leaves.
public struct LegacyServerDocument: Sendable {
    /// The change that told of it.
    public let change: LegacyChange

    /// Each with its ID, history and body; attachments are stubs.
    public let leaves: [ParsedDocument]

    /// Revisions that the user may not see; the whole document, if nothing else came of it.
    public let unseen: [String]

    /// What is wrong with the document, if it cannot be read.
    public let fault: String?

    init(_ change: LegacyChange, _ documents: [ParsedDocument]) {
        let removed = documents.filter { $0.isRemoved }
        let usable = documents.filter { !$0.isRemoved && $0.revision != nil }
        self.change = change
        leaves = usable
        unseen = removed.map { $0.revision?.text ?? "" }
        fault = usable.isEmpty && removed.isEmpty ? "the server has none of its revisions" : nil
    }

    init(_ change: LegacyChange, fault: String) {
        self.change = change
        leaves = []
        unseen = []
        self.fault = fault
    }
}

/// A row of a server's changes feed: a document, and its leaves.
public struct LegacyChange: Sendable, Equatable {
    public let id: String

    /// As the server writes them.
    public let revisions: [String]

    /// Whether what has won is a tombstone.
    public let isDeleted: Bool
    public let sequence: String

    public init(id: String, revisions: [String], isDeleted: Bool = false, sequence: String) {
        self.id = id
        self.revisions = revisions
        self.isDeleted = isDeleted
        self.sequence = sequence
    }
}
