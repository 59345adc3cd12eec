/// A document as it came in, taken apart in one pass: its metadata, and the body that its user wrote.
///
/// The body's bytes are those that came: no number, no key, no escape and no order is ever rewritten, because a revision ID names its body.
public struct ParsedDocument: Hashable, Sendable {
    /// The document's ID as it stands in the document. It has not been checked against ``DocumentID``.
    public var id: String?

    /// The revision's ID: that of `_rev`, or else the newest of `_revisions`.
    public var revision: RevisionID?

    /// The revision and its ancestors, the newest first, if the document has `_revisions`.
    public var history: [RevisionID]?

    /// Whether the revision is a tombstone.
    public var isDeleted = false

    /// Whether this says only that the reader has lost access to the document (`"_removed": true`).
    public var isRemoved = false

    /// The JSON of `_attachments`, untouched, for ``AttachmentSet``.
    public var attachments: [UInt8]?

    /// The JSON of `_exp`, untouched.
    public var expiry: [UInt8]?

    /// The user's members as one JSON object; `{}` if there are none. Only whitespace around removed members is gone.
    public var body: [UInt8]

    /// A document of these parts.
    public init(body: [UInt8] = Array("{}".utf8)) {
        self.body = body
    }

    /// Parses a text that is one document.
    ///
    /// - Throws: ``DocumentError``: `tooLarge`, `badJSON`, `duplicateKey`, `tooDeep`, `badRevisionID`, `badRevisions`, `reservedProperty`,
    ///   `badDocumentID`.
    public init(_ text: ArraySlice<UInt8>, policy: DocumentPolicy, limits: DocumentLimits = DocumentLimits()) throws {
        self = try DocumentError.reading {
            try JSONReader.read(text, maximumDepth: limits.maximumDepth) {
                try ParsedDocument(reading: &$0, policy: policy, limits: limits)
            }
        }
    }

    /// Parses a text that is one document.
    public init(_ text: [UInt8], policy: DocumentPolicy, limits: DocumentLimits = DocumentLimits()) throws {
        try self.init(text[...], policy: policy, limits: limits)
    }

    static func tooLarge(_ size: Int, _ limits: DocumentLimits) -> DocumentError {
        DocumentError(.tooLarge, "Document too large! \(size) bytes, at most \(limits.maximumSize) are allowed")
    }
}

/// How large a document may be.
public struct DocumentLimits: Hashable, Sendable {
    /// The most bytes of a document's JSON, metadata included, but for the bytes of attachments that stand in it. Sync Gateway allows 20 MB.
    public var maximumSize: Int

    /// How many arrays and objects may be nested in it.
    public var maximumDepth: Int

    public init(maximumSize: Int = 20 * 1024 * 1024, maximumDepth: Int = JSONReader.defaultMaximumDepth) {
        self.maximumSize = maximumSize
        self.maximumDepth = maximumDepth
    }
}
