package import Documents
package import Storage

/// An incoming attachment: stored in parts with constant memory, and hashed during the transfer.
///
/// One task at a time may use it. If it is neither finished nor abandoned, the store removes its parts when it is opened next.
package actor AttachmentUpload {
    /// The size of the stored parts.
    private static let partSize = 128 << 10

    private let store: any Store
    private let limit: Int64
    private var key: Int64?
    private var parts = 0
    private var pending: [UInt8] = []
    private var sha1 = AttachmentHasher(.sha1)

    /// Only where the sender gives an MD5, as CouchDB does.
    private var md5: AttachmentHasher?
    private let expected: AttachmentDigest?
    package private(set) var length: Int64 = 0

    init(store: any Store, limit: Int64, expected: AttachmentDigest?) {
        self.store = store
        self.limit = limit
        self.expected = expected
        md5 = expected?.algorithm == .md5 ? AttachmentHasher(.md5) : nil
    }

    /// - Throws: ``GatewayError`` with code `tooLarge` when the limit is exceeded.
    package func append(_ bytes: some Collection<UInt8> & Sendable) async throws {
        length += Int64(bytes.count)
        guard length <= limit else {
            throw GatewayError(.tooLarge, "The attachment is larger than \(limit) bytes, the limit for an attachment")
        }
        pending.append(contentsOf: bytes)
        while pending.count >= Self.partSize {
            let part = Array(pending[..<Self.partSize])
            pending.removeFirst(Self.partSize)
            try await write(part)
        }
    }

    /// Stores the remaining bytes, and completes the attachment.
    ///
    /// - Throws: ``GatewayError`` with code `digestMismatch` if the bytes do not match the sender's digest.
    package func finish() async throws -> AttachmentRecord {
        if !pending.isEmpty { try await write(pending) }
        pending = []
        let digest = sha1.finish()
        let computed = md5?.finish() ?? digest
        if let expected, expected != computed {
            try await abandon()
            throw GatewayError(.digestMismatch, "Attachment digest mismatch: \(expected) was announced, the bytes have \(computed)")
        }
        let key = key
        let length = length
        return try await store.write { transaction in
            let record =
                if let key { try transaction.finishAttachment(key, digest: digest, length: length) } else {
                    try transaction.insertAttachment([], digest: digest)
                }
            if computed != digest { try transaction.addAlias(computed, for: record) }
            return record
        }
    }

    /// Discards the received parts.
    package func abandon() async throws {
        guard let key else { return }
        self.key = nil
        try await store.write { try $0.abandonAttachment(key) }
    }

    private func write(_ part: [UInt8]) async throws {
        sha1.update(part)
        md5?.update(part)
        let number = parts
        parts += 1
        if let key {
            try await store.write { try $0.appendAttachment(key, part: number, part) }
        } else {
            key = try await store.write { transaction in
                let key = try transaction.beginAttachment()
                try transaction.appendAttachment(key, part: number, part)
                return key
            }
        }
    }
}

extension Keyspace {
    /// Begins to receive an attachment for a later revision. It is invisible until `finish`.
    ///
    /// - Parameter expected: the sender's digest; an MD5 becomes an alias of the attachment.
    package func receiveAttachment(expecting expected: AttachmentDigest? = nil) -> AttachmentUpload {
        AttachmentUpload(store: store, limit: database.configuration.limits.attachmentSize, expected: expected)
    }
}
