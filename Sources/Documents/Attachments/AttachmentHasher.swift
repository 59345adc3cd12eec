import Crypto

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
