/// The attachments of one revision: the value of `_attachments`, in its order.
///
/// In multipart messages the MIME parts have the same order.
package struct AttachmentSet: Hashable, Sendable {
    /// How the bytes of an attachment are sent.
    package enum Spelling: Hashable, Sendable {
        /// The bytes are not sent.
        case stub

        /// The bytes are sent in a MIME part.
        case follows

        /// The given bytes are written into the document, in base64.
        case data([UInt8])

        /// The document has an empty `data` string into which the caller inserts the base64.
        case inserted
    }

    /// The entries.
    package var entries: [AttachmentMetadata]

    package init(_ entries: [AttachmentMetadata] = []) {
        self.entries = entries
    }

    /// Parses the value of `_attachments`; `null` gives an empty set.
    ///
    /// - Parameter describesDataAnew: Whether a malformed digest beside `data` is accepted. Such a digest is ignored.
    /// - Throws: ``DocumentError``: `badAttachment`, `missingAttachment`, `tooLarge`, `badJSON`, `duplicateKey`.
    package init(_ json: [UInt8], limits: AttachmentLimits = AttachmentLimits(), describesDataAnew: Bool = false) throws {
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

    /// The entry with this name, compared byte for byte.
    package subscript(name: String) -> AttachmentMetadata? {
        entries.first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// Whether the set has no entries.
    package var isEmpty: Bool { entries.isEmpty }

    /// Appends the value of `_attachments`.
    ///
    /// - Parameters:
    ///   - bytes: The buffer to append to.
    ///   - spelling: How each attachment's bytes are sent.
    /// - Returns: The offsets in `bytes` for the base64 of ``Spelling/inserted`` attachments, in the order of the entries.
    @discardableResult
    package func append(to bytes: inout [UInt8], spelling: (AttachmentMetadata) throws -> Spelling) rethrows -> [Int] {
        var object = ObjectWriter()
        var places: [Int] = []
        for entry in entries {
            object.key(entry.name, &bytes)
            if let place = entry.append(to: &bytes, spelling: try spelling(entry)) { places.append(place) }
        }
        object.close(&bytes)
        return places
    }

    /// The value of `_attachments` with all entries as stubs: the stored form.
    package func stubs() -> [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes) { _ in .stub }
        return bytes
    }
}

/// Limits on `_attachments`.
package struct AttachmentLimits: Hashable, Sendable {
    /// The maximum number of attachments of one document.
    package var maximumCount: Int

    /// The maximum length of a name, in bytes of UTF-8.
    package var maximumNameLength: Int

    package init(maximumCount: Int = 10_000, maximumNameLength: Int = 4096) {
        self.maximumCount = maximumCount
        self.maximumNameLength = maximumNameLength
    }

    /// - Throws: ``DocumentError`` `tooLarge`.
    package func check(count: Int) throws(DocumentError) {
        guard count <= maximumCount else {
            throw DocumentError(.tooLarge, "Invalid _attachments: more than \(maximumCount) attachments")
        }
    }

    /// - Throws: ``DocumentError`` `badAttachment`.
    package func check(name: String) throws(DocumentError) {
        guard !name.isEmpty, name.utf8.count <= maximumNameLength else {
            throw DocumentError(.badAttachment, "Invalid _attachments: a name must have 1 to \(maximumNameLength) bytes")
        }
    }
}
