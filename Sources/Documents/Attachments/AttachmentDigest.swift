import Crypto

/// The digest by which an attachment is known: `sha1-` or `md5-` and the hash in base64.
///
/// Couchbase names attachments by SHA-1, CouchDB by MD5.
public struct AttachmentDigest: Hashable, Sendable, CustomStringConvertible {
    /// The hash functions in use.
    public enum Algorithm: String, Hashable, Sendable {
        case sha1, md5

        /// How many bytes a hash has.
        public var byteCount: Int { self == .sha1 ? 20 : 16 }
    }

    /// The hash function.
    public let algorithm: Algorithm

    /// The hash: 20 bytes of SHA-1, 16 of MD5.
    public let bytes: [UInt8]

    /// The digest of these hash bytes; nil if there are not as many as the function gives.
    public init?(_ algorithm: Algorithm, bytes: some Collection<UInt8>) {
        guard bytes.count == algorithm.byteCount else { return nil }
        self.algorithm = algorithm
        self.bytes = Array(bytes)
    }

    init(_ algorithm: Algorithm, hash: [UInt8]) {
        self.algorithm = algorithm
        bytes = hash
    }

    /// The digest of this text; nil if it is not `sha1-` or `md5-` with base64 of the right length.
    public init?(_ text: String) {
        guard let hyphen = text.utf8.firstIndex(of: 0x2d), let algorithm = Algorithm(rawValue: String(text[..<hyphen])) else { return nil }
        guard let bytes = try? Base64.decode(text[hyphen...].utf8.dropFirst()) else { return nil }
        self.init(algorithm, bytes: bytes)
    }

    /// The digest as it stands in metadata: `sha1-Kq5sNclPz7QV2+lfQIuc6R7oRu0=`.
    public var description: String {
        "\(algorithm.rawValue)-\(Base64.encode(bytes))"
    }

    /// The SHA-1 digest of some bytes.
    public static func sha1(of data: some Collection<UInt8>) -> AttachmentDigest {
        digest(.sha1, of: data)
    }

    /// The MD5 digest of some bytes.
    public static func md5(of data: some Collection<UInt8>) -> AttachmentDigest {
        digest(.md5, of: data)
    }

    private static func digest(_ algorithm: Algorithm, of data: some Collection<UInt8>) -> AttachmentDigest {
        var hasher = AttachmentHasher(algorithm)
        hasher.update(data)
        return hasher.finish()
    }

    /// Checks that some bytes have this digest.
    ///
    /// - Throws: ``DocumentError`` `digestMismatch`.
    public func verify(_ data: some Collection<UInt8>) throws(DocumentError) {
        try verify(Self.digest(algorithm, of: data))
    }

    /// Checks that a digest that was computed is this one.
    ///
    /// - Throws: ``DocumentError`` `digestMismatch`.
    public func verify(_ computed: AttachmentDigest) throws(DocumentError) {
        guard computed == self else {
            throw DocumentError(.digestMismatch, "attachment has digest \(computed), but \(self) was announced")
        }
    }
}

/// Takes the digest of an attachment as its bytes arrive.
public struct AttachmentHasher: Sendable {
    private let algorithm: AttachmentDigest.Algorithm
    private var function: any HashFunction & Sendable

    public init(_ algorithm: AttachmentDigest.Algorithm) {
        self.algorithm = algorithm
        function =
            switch algorithm {
            case .sha1: Insecure.SHA1()
            case .md5: Insecure.MD5()
            }
    }

    /// Adds the next bytes.
    public mutating func update(_ data: some Collection<UInt8>) {
        let done: Void? = data.withContiguousStorageIfAvailable { update(UnsafeRawBufferPointer($0)) }
        if done == nil { Array(data).withUnsafeBytes { update($0) } }
    }

    /// Adds the next bytes.
    public mutating func update(_ data: UnsafeRawBufferPointer) {
        function.update(bufferPointer: data)
    }

    /// The digest of all bytes so far.
    public func finish() -> AttachmentDigest {
        AttachmentDigest(algorithm, hash: function.hash())
    }
}

extension HashFunction {
    fileprivate func hash() -> [UInt8] {
        Array(finalize())
    }
}
