public import Documents

/// A document as a server has it: all of its leaves.
public struct LegacyServerDocument: Sendable {
    /// The change that told of it.
    public let change: LegacyChange

    /// Each with its ID, history and body; attachments are stubs.
    public let leaves: [ParsedDocument]

    /// What is wrong with the document, if it cannot be read.
    public let fault: String?

    init(_ change: LegacyChange, _ documents: [ParsedDocument]) {
        let removed = documents.contains { $0.isRemoved }
        let usable = documents.filter { !$0.isRemoved && $0.revision != nil }
        self.change = change
        leaves = usable
        fault = usable.isEmpty ? (removed ? "the user may not see it" : "the server has none of its revisions") : nil
    }

    init(_ change: LegacyChange, fault: String) {
        self.change = change
        leaves = []
        self.fault = fault
    }
}
