/// The rules for document IDs.
package enum DocumentID {
    /// The maximum length of an ID in bytes of UTF-8: the limit of Sync Gateway's store.
    package static let maximumLength = 250

    /// The maximum length of an ID in Couchbase Lite 2.x+ (C4Document, kMaxDocIDLength).
    package static let maximumModernLength = 240

    /// Checks an ID: 1 to 250 bytes, no control characters, and no leading underscore except in `_design/`.
    ///
    /// - Throws: ``DocumentError`` `badDocumentID`.
    package static func validate(_ id: String) throws(DocumentError) {
        guard !id.isEmpty else { throw invalid("it is empty") }
        guard id.utf8.count <= maximumLength else { throw invalid("\(id.utf8.count) bytes, at most \(maximumLength) are allowed") }
        for byte in id.utf8 where byte < 0x20 || byte == 0x7f { throw invalid("it has a control character") }
        if id.utf8.first == 0x5f {
            guard isDesign(id), id.utf8.count > designPrefix.utf8.count else { throw invalid("\"\(id)\" begins with an underscore") }
        }
    }

    /// Whether Couchbase Lite 2.x+ accepts this ID: 1 to 240 bytes, no control characters, no leading underscore.
    package static func isAcceptableToModernClients(_ id: String) -> Bool {
        guard 1...maximumModernLength ~= id.utf8.count, id.utf8.first != 0x5f else { return false }
        return id.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    }

    /// Whether this is the ID of a design document.
    package static func isDesign(_ id: String) -> Bool {
        id.utf8.starts(with: designPrefix.utf8)
    }

    /// The prefix of the IDs of design documents.
    package static let designPrefix = "_design/"

    private static func invalid(_ reason: String) -> DocumentError {
        DocumentError(.badDocumentID, "Invalid doc ID: \(reason)")
    }
}
