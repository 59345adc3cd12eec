package import Documents

/// A document on a server, with all of its leaves.
package struct LegacyServerDocument: Sendable {
    /// The row of the changes feed that named the document.
    package let change: LegacyChange

    /// The leaves, each with its ID, history and body; attachments are stubs.
    package let leaves: [ParsedDocument]

    /// Revisions that the user may not read. If ``leaves`` is empty, the user may not read the document.
    package let unseen: [String]

    /// Why the document cannot be read; `nil` if it can.
    package let fault: String?

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
package struct LegacyChange: Sendable, Equatable {
    package let id: String

    /// The leaves' revision IDs in the server's notation.
    package let revisions: [String]

    /// Whether the winner is a tombstone.
    package let isDeleted: Bool
    package let sequence: String

    package init(id: String, revisions: [String], isDeleted: Bool = false, sequence: String) {
        self.id = id
        self.revisions = revisions
        self.isDeleted = isDeleted
        self.sequence = sequence
    }
}
