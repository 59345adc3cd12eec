/// One entry of `_attachments`: what a document says about one of its attachments.
public struct AttachmentMetadata: Hashable, Sendable {
    /// Where the attachment's bytes are, seen from the document that names it.
    public enum Source: Hashable, Sendable {
        /// `"stub": true`: whoever reads this has them, or can ask for them.
        case stub

        /// `"follows": true`: in a MIME part after the document.
        case follows

        /// `"data"`: here, in base64. This is the base64 text, undecoded; see ``AttachmentMetadata/inlineData()``.
        case inline([UInt8])
    }

    /// The attachment's name in its document.
    public var name: String

    /// The digest of the bytes as they are stored: with ``encoding``, of the encoded ones.
    public var digest: AttachmentDigest?

    /// How many bytes there are, decoded.
    public var length: Int?

    /// The generation in which the attachment was set.
    public var revpos: Int?

    /// The media type.
    public var contentType: String?

    /// `gzip` where the stored bytes are compressed.
    public var encoding: String?

    /// How many stored bytes there are, where there is an ``encoding``.
    public var encodedLength: Int?

    /// All other members as they came: `"key":value` separated by commas. They survive.
    public var otherMembers: [UInt8]

    /// Where the bytes are.
    public var source: Source

    public init(
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

    /// How many bytes are stored and sent: the encoded length if there is one, else the length.
    public var storedLength: Int? {
        encodedLength ?? length
    }
}

extension AttachmentMetadata {
    /// The bytes of inline data; nil if there is none.
    ///
    /// - Throws: ``DocumentError`` `badBase64`, `digestMismatch`, `lengthMismatch`.
    public func inlineData() throws(DocumentError) -> [UInt8]? {
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

    /// The text without line breaks: many encoders wrap it, and Sync Gateway's and CouchDB's decoders pass over them.
    private static func joined(_ text: [UInt8]) -> [UInt8] {
        func isBreak(_ byte: UInt8) -> Bool { byte == 0x0a || byte == 0x0d }
        return text.contains(where: isBreak) ? text.filter { !isBreak($0) } : text
    }

    /// Checks that this many bytes are what was announced. (Sync Gateway answers 400 otherwise.)
    ///
    /// - Throws: ``DocumentError`` `lengthMismatch`.
    public func verify(length found: Int) throws(DocumentError) {
        guard let storedLength, storedLength != found else { return }
        throw DocumentError(.lengthMismatch, "attachment \"\(name)\" has \(found) bytes, but \(storedLength) were announced")
    }

    /// The entry once its bytes have been stored: a stub with their digest and length.
    ///
    /// - Parameters:
    ///   - digest: The digest of the bytes as they were received.
    ///   - length: How many these are.
    public func stored(digest: AttachmentDigest, length: Int) -> AttachmentMetadata {
        var stored = self
        stored.source = .stub
        stored.digest = digest
        if encoding == nil { stored.length = length } else { stored.encodedLength = length }
        return stored
    }
}
