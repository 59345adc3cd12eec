/// The attachments of one revision: the value of `_attachments`, in its order.
///
/// In multipart messages the order of the entries is the order of the parts.
public struct AttachmentSet: Hashable, Sendable {
    /// How an attachment's bytes are sent.
    public enum Spelling: Hashable, Sendable {
        /// Not at all.
        case stub

        /// In a MIME part.
        case follows

        /// These, within the document.
        case data([UInt8])

        /// Within the document, where the caller inserts their base64.
        case inserted
    }

    /// The entries.
    public var entries: [AttachmentMetadata]

    public init(_ entries: [AttachmentMetadata] = []) {
        self.entries = entries
    }

    /// Parses the value of `_attachments`; `null` is an empty one.
    ///
    /// - Parameter describesDataAnew: whether a digest that is none may stand beside `data`, since nothing is made of it.
    /// - Throws: ``DocumentError``: `badAttachment`, `missingAttachment`, `tooLarge`, `badJSON`, `duplicateKey`.
    public init(_ json: [UInt8], limits: AttachmentLimits = AttachmentLimits(), describesDataAnew: Bool = false) throws {
        entries = try DocumentError.reading {
            try JSONReader.read(json) { try Self.read(&$0, limits, describesDataAnew) }
        }
    }

    private static func read(
        _ reader: inout JSONReader, _ limits: AttachmentLimits, _ describesDataAnew: Bool
    ) throws -> [AttachmentMetadata] {
        if reader.isNull { return [] }
        guard reader.kind == .object else { throw DocumentError(.badAttachment, "Invalid _attachments: an object is expected") }
        var entries: [AttachmentMetadata] = []
        try reader.object { key, value in
            try limits.check(count: entries.count + 1)
            let name = try key.string()
            try limits.check(name: name)
            entries.append(try AttachmentMetadata(name: name, reading: &value, describesDataAnew: describesDataAnew))
        }
        return entries
    }

    /// The entry of this name, byte for byte.
    public subscript(name: String) -> AttachmentMetadata? {
        entries.first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// Whether there are none.
    public var isEmpty: Bool { entries.isEmpty }

    /// Appends the value of `_attachments`.
    ///
    /// - Parameters:
    ///   - bytes: What it is appended to.
    ///   - spelling: How each attachment's bytes are sent.
    /// - Returns: The offsets in `bytes` at which the base64 of ``Spelling/inserted`` attachments belongs, in the order of the entries.
    @discardableResult
    public func append(to bytes: inout [UInt8], spelling: (AttachmentMetadata) throws -> Spelling) rethrows -> [Int] {
        var object = ObjectWriter()
        var places: [Int] = []
        for entry in entries {
            object.key(entry.name, &bytes)
            if let place = entry.append(to: &bytes, spelling: try spelling(entry)) { places.append(place) }
        }
        object.close(&bytes)
        return places
    }

    /// The value of `_attachments` with nothing but stubs: the form that is stored.
    public func stubs() -> [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes) { _ in .stub }
        return bytes
    }
}

/// How much `_attachments` may hold.
public struct AttachmentLimits: Hashable, Sendable {
    /// The most attachments of one document.
    public var maximumCount: Int

    /// The longest name in bytes of UTF-8.
    public var maximumNameLength: Int

    public init(maximumCount: Int = 10_000, maximumNameLength: Int = 4096) {
        self.maximumCount = maximumCount
        self.maximumNameLength = maximumNameLength
    }

    /// - Throws: ``DocumentError`` `tooLarge`.
    public func check(count: Int) throws(DocumentError) {
        guard count <= maximumCount else {
            throw DocumentError(.tooLarge, "Invalid _attachments: more than \(maximumCount) attachments")
        }
    }

    /// - Throws: ``DocumentError`` `badAttachment`.
    public func check(name: String) throws(DocumentError) {
        guard !name.isEmpty, name.utf8.count <= maximumNameLength else {
            throw DocumentError(.badAttachment, "Invalid _attachments: a name must have 1 to \(maximumNameLength) bytes")
        }
    }
}
