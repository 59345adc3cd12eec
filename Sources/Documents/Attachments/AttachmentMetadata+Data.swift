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
