public import Documents
public import Storage

/// An attachment on its way in: stored part by part in constant memory, hashed as it comes.
///
/// One task at a time feeds it. If it is neither finished nor abandoned, the store sweeps its parts up when it is opened next.
public actor AttachmentUpload {
    /// The size of the parts in which the store keeps attachments.
    private static let partSize = 128 << 10

    private let store: any Store
    private let limit: Int64
    private var key: Int64?
    private var parts = 0
    private var pending: [UInt8] = []
    private var sha1 = AttachmentHasher(.sha1)

    /// Only where the sender names the attachment by its MD5, as CouchDB does.
    private var md5: AttachmentHasher?
    private let expected: AttachmentDigest?
    public private(set) var length: Int64 = 0

    init(store: any Store, limit: Int64, expected: AttachmentDigest?) {
        self.store = store
        self.limit = limit
        self.expected = expected
        md5 = expected?.algorithm == .md5 ? AttachmentHasher(.md5) : nil
    }

    /// - Throws: ``GatewayError`` with code `tooLarge` when the limit is passed.
    public func append(_ bytes: some Collection<UInt8> & Sendable) async throws {
        length += Int64(bytes.count)
        guard length <= limit else {
            throw GatewayError(.tooLarge, "The attachment is larger than \(limit) bytes, the limit for one")
        }
        pending.append(contentsOf: bytes)
        while pending.count >= Self.partSize {
            let part = Array(pending[..<Self.partSize])
            pending.removeFirst(Self.partSize)
            try await write(part)
        }
    }

    /// Stores what is left and gives the attachment its name.
    ///
    /// - Throws: ``GatewayError`` with code `badRequest` if the bytes do not match the digest that the sender gave.
    public func finish() async throws -> AttachmentRecord {
        if !pending.isEmpty { try await write(pending) }
        pending = []
        let digest = sha1.finish()
        let computed = md5?.finish() ?? digest
        if let expected, expected != computed {
            try await abandon()
            throw GatewayError(.badRequest, "Attachment digest mismatch: \(expected) was announced, the bytes have \(computed)")
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

    /// Forgets what has come in.
    public func abandon() async throws {
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
    /// Takes an attachment's bytes in parts, for a revision that will name it. Nobody sees it before `finish`.
    ///
    /// - Parameter expected: the digest that the sender gave; an MD5 becomes another name of the attachment.
    public func receiveAttachment(expecting expected: AttachmentDigest? = nil) -> AttachmentUpload {
        AttachmentUpload(store: store, limit: database.configuration.limits.attachmentSize, expected: expected)
    }
}
