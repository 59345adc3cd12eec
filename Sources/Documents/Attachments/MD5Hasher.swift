import Crypto

/// Takes the MD5 digest of an attachment as its bytes arrive.
public struct MD5Hasher: Sendable {
    private var function = Insecure.MD5()

    public init() {}

    /// Adds the next bytes.
    public mutating func update(_ data: some Collection<UInt8>) {
        let done: Void? = data.withContiguousStorageIfAvailable { function.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        if done == nil { Array(data).withUnsafeBytes { function.update(bufferPointer: $0) } }
    }

    /// Adds the next bytes.
    public mutating func update(_ data: UnsafeRawBufferPointer) {
        function.update(bufferPointer: data)
    }

    /// The digest of all bytes so far.
    public func finish() -> AttachmentDigest {
        AttachmentDigest(hash: function.finalize())
    }
}
