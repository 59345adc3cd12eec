import Crypto

/// The digest that identifies an attachment: `sha1-` or `md5-` and the hash in base64.
///
/// Couchbase identifies attachments by SHA-1, CouchDB by MD5.
package struct AttachmentDigest: Hashable, Sendable, CustomStringConvertible {
    /// The supported hash functions.
    package enum Algorithm: String, Hashable, Sendable {
        case sha1, md5

        /// The length of a hash, in bytes.
        package var byteCount: Int { self == .sha1 ? 20 : 16 }
    }

    /// The hash function.
    package let algorithm: Algorithm

    /// The hash: 20 bytes of SHA-1, 16 of MD5.
    package let bytes: [UInt8]

    /// Creates a digest from the bytes of a hash; nil if their number does not match the algorithm.
    package init?(_ algorithm: Algorithm, bytes: some Collection<UInt8>) {
        guard bytes.count == algorithm.byteCount else { return nil }
        self.algorithm = algorithm
        self.bytes = Array(bytes)
    }

    init(_ algorithm: Algorithm, hash: [UInt8]) {
        self.algorithm = algorithm
        bytes = hash
    }

    /// Parses a digest; nil unless the text is `sha1-` or `md5-` followed by base64 of the right length.
    package init?(_ text: String) {
        guard let hyphen = text.utf8.firstIndex(of: 0x2d), let algorithm = Algorithm(rawValue: String(text[..<hyphen])) else { return nil }
        guard let bytes = try? Base64.decode(text[hyphen...].utf8.dropFirst()) else { return nil }
        self.init(algorithm, bytes: bytes)
    }

    /// The digest as metadata writes it: `sha1-Kq5sNclPz7QV2+lfQIuc6R7oRu0=`.
    package var description: String {
        "\(algorithm.rawValue)-\(Base64.encode(bytes))"
    }

    /// The SHA-1 digest of some bytes.
    package static func sha1(of data: some Collection<UInt8>) -> AttachmentDigest {
        digest(.sha1, of: data)
    }

    /// The MD5 digest of some bytes.
    package static func md5(of data: some Collection<UInt8>) -> AttachmentDigest {
        digest(.md5, of: data)
    }

    private static func digest(_ algorithm: Algorithm, of data: some Collection<UInt8>) -> AttachmentDigest {
        var hasher = AttachmentHasher(algorithm)
        hasher.update(data)
        return hasher.finish()
    }

    /// Checks that the data has this digest.
    ///
    /// - Throws: ``DocumentError`` `digestMismatch`.
    package func verify(_ data: some Collection<UInt8>) throws(DocumentError) {
        try verify(Self.digest(algorithm, of: data))
    }

    /// Checks that a computed digest equals this one.
    ///
    /// - Throws: ``DocumentError`` `digestMismatch`.
    package func verify(_ computed: AttachmentDigest) throws(DocumentError) {
        guard computed == self else {
            throw DocumentError(.digestMismatch, "attachment has digest \(computed), but \(self) was announced")
        }
    }
}

/// Computes the digest of an attachment while its bytes arrive.
package struct AttachmentHasher: Sendable {
    private let algorithm: AttachmentDigest.Algorithm
    private var function: any HashFunction & Sendable

    package init(_ algorithm: AttachmentDigest.Algorithm) {
        self.algorithm = algorithm
        function =
            switch algorithm {
            case .sha1: Insecure.SHA1()
            case .md5: Insecure.MD5()
            }
    }

    /// Adds the next bytes.
    package mutating func update(_ data: some Collection<UInt8>) {
        let done: Void? = data.withContiguousStorageIfAvailable { update(UnsafeRawBufferPointer($0)) }
        if done == nil { Array(data).withUnsafeBytes { update($0) } }
    }

    /// Adds the next bytes.
    package mutating func update(_ data: UnsafeRawBufferPointer) {
        function.update(bufferPointer: data)
    }

    /// The digest of all bytes added so far.
    package func finish() -> AttachmentDigest {
        AttachmentDigest(algorithm, hash: function.hash())
    }
}

extension HashFunction {
    fileprivate func hash() -> [UInt8] {
        Array(finalize())
    }
}
