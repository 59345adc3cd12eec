/// The metadata of one attachment: one entry of `_attachments`.
package struct AttachmentMetadata: Hashable, Sendable {
    /// Where the attachment's bytes are, relative to the document.
    package enum Source: Hashable, Sendable {
        /// `"stub": true`: the recipient has the bytes, or can request them.
        case stub

        /// `"follows": true`: in a MIME part after the document.
        case follows

        /// `"data"`: inline, in base64. The associated value is the undecoded base64 text; see ``AttachmentMetadata/inlineData()``.
        case inline([UInt8])
    }

    /// The attachment's name in its document.
    package var name: String

    /// The digest of the stored bytes: with an ``encoding``, of the encoded bytes.
    package var digest: AttachmentDigest?

    /// The decoded length in bytes.
    package var length: Int?

    /// The generation of the revision that added or last changed the attachment.
    package var revpos: Int?

    /// The media type.
    package var contentType: String?

    /// `gzip` where the stored bytes are compressed.
    package var encoding: String?

    /// The stored length in bytes, present only with an ``encoding``.
    package var encodedLength: Int?

    /// All other members in their received form: `"key":value` separated by commas. Output contains them unchanged.
    package var otherMembers: [UInt8]

    /// Where the bytes are.
    package var source: Source

    package init(
        name: String,
        digest: AttachmentDigest? = nil,
        length: Int? = nil,
        revpos: Int? = nil,
        contentType: String? = nil,
        encoding: String? = nil,
        encodedLength: Int? = nil,
        otherMembers: [UInt8] = [],
        source: Source = .stub,
    ) {
        self.name = name
        self.digest = digest
        self.length = length
        self.revpos = revpos
        self.contentType = contentType
        self.encoding = encoding
        self.encodedLength = encodedLength
        self.otherMembers = otherMembers
        self.source = source
    }

    /// The number of stored and transmitted bytes: the encoded length if present, else the length.
    package var storedLength: Int? {
        encodedLength ?? length
    }
}

extension AttachmentMetadata {
    /// The decoded inline data; nil if the entry has none.
    ///
    /// - Throws: ``DocumentError`` `badBase64`, `digestMismatch`, `lengthMismatch`.
    package func inlineData() throws(DocumentError) -> [UInt8]? {
        guard case .inline(let text) = source else { return nil }
        let data: [UInt8]
        do {
            data = try Base64.decode(Self.joined(text))
        } catch {
            throw DocumentError(.badBase64, "data of attachment \"\(name)\": \(error.message)")
        }
        try verify(length: data.count)
        try digest?.verify(data)
        return data
    }

    /// The text without line breaks. Many encoders wrap base64, and the decoders of Sync Gateway and CouchDB ignore line breaks.
    private static func joined(_ text: [UInt8]) -> [UInt8] {
        func isBreak(_ byte: UInt8) -> Bool { byte == 0x0a || byte == 0x0d }
        return text.contains(where: isBreak) ? text.filter { !isBreak($0) } : text
    }

    /// Checks the received length against the announced one. Sync Gateway answers 400 on a mismatch.
    ///
    /// - Throws: ``DocumentError`` `lengthMismatch`.
    package func verify(length found: Int) throws(DocumentError) {
        guard let storedLength, storedLength != found else { return }
        throw DocumentError(.lengthMismatch, "attachment \"\(name)\" has \(found) bytes, but \(storedLength) were announced")
    }

    /// The entry after its bytes have been stored: a stub with their digest and length.
    ///
    /// - Parameters:
    ///   - digest: The digest of the received bytes.
    ///   - length: The number of received bytes.
    package func stored(digest: AttachmentDigest, length: Int) -> AttachmentMetadata {
        var stored = self
        stored.source = .stub
        stored.digest = digest
        if encoding == nil { stored.length = length } else { stored.encodedLength = length }
        return stored
    }
}
