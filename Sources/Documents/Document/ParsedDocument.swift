/// A document parsed in one pass into its metadata and the user's body.
///
/// The body keeps the received bytes: numbers, keys, escapes and order are never rewritten, because a revision ID identifies its body.
package struct ParsedDocument: Hashable, Sendable {
    /// The ID in the document, not validated against ``DocumentID``.
    package var id: String?

    /// The revision ID in `_rev`, or else the newest in `_revisions`.
    package var revision: RevisionID?

    /// The revision and its ancestors, newest first; nil without `_revisions`.
    package var history: [RevisionID]?

    /// Whether the revision is a tombstone.
    package var isDeleted = false

    /// Whether the document only reports that the reader has lost access to it (`"_removed": true`).
    package var isRemoved = false

    /// The unparsed JSON of `_attachments`, for ``AttachmentSet``.
    package var attachments: [UInt8]?

    /// The unparsed JSON of `_exp`.
    package var expiry: [UInt8]?

    /// The user's members as one JSON object; `{}` if there are none. Only whitespace around removed members is lost.
    package var body: [UInt8]

    /// Creates a document without metadata.
    package init(body: [UInt8] = Array("{}".utf8)) {
        self.body = body
    }

    /// Parses a text that consists of one document.
    ///
    /// - Throws: ``DocumentError``: `tooLarge`, `badJSON`, `duplicateKey`, `tooDeep`, `badRevisionID`, `badRevisions`, `reservedProperty`,
    ///   `badDocumentID`.
    package init(_ text: ArraySlice<UInt8>, policy: DocumentPolicy, limits: DocumentLimits = DocumentLimits()) throws {
        self = try DocumentError.reading {
            try JSONReader.read(text, maximumDepth: limits.maximumDepth) {
                try ParsedDocument(reading: &$0, policy: policy, limits: limits)
            }
        }
    }

    /// Parses a text that consists of one document.
    package init(_ text: [UInt8], policy: DocumentPolicy, limits: DocumentLimits = DocumentLimits()) throws {
        try self.init(text[...], policy: policy, limits: limits)
    }

    static func tooLarge(_ size: Int, _ limits: DocumentLimits) -> DocumentError {
        DocumentError(.tooLarge, "Document too large! \(size) bytes, at most \(limits.maximumSize) are allowed")
    }
}

/// Limits on documents.
package struct DocumentLimits: Hashable, Sendable {
    /// The maximum size of a document's JSON in bytes, with metadata but without inline attachment data. Sync Gateway allows 20 MB.
    package var maximumSize: Int

    /// The maximum nesting depth of arrays and objects.
    package var maximumDepth: Int

    package init(maximumSize: Int = 20 * 1024 * 1024, maximumDepth: Int = JSONReader.defaultMaximumDepth) {
        self.maximumSize = maximumSize
        self.maximumDepth = maximumDepth
    }
}
