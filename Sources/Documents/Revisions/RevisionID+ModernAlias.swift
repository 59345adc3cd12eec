import Crypto

extension RevisionID {
    /// Whether Couchbase Lite 2.x+ can parse the ID: a digest of an even number of lower-case hex digits, a generation that fits 32
    /// bits, and 42 bytes for both in its binary form (LiteCore RevID.cc).
    public var isNative: Bool {
        guard generation <= UInt32.max else { return false }
        switch storedDigest {
        case .packed:
            return true
        case .text(let text):
            return text.count & 1 == 0 && text.allSatisfy { Hex.value($0) != nil } && Varint.length(generation) + text.count / 2 <= 42
        }
    }

    /// The name under which Couchbase Lite 2.x+ knows this revision: the ID itself if it is native, else the generation with the
    /// SHA-1 of the ID's text.
    ///
    /// A generation over 32 bits stays as it is, and such an alias is no native ID either: no client could hold it.
    public var modernAlias: RevisionID {
        guard !isNative else { return self }
        var bytes: [UInt8] = []
        append(to: &bytes)
        return RevisionID(generation: generation, hash: Insecure.SHA1.hash(data: bytes))
    }

    /// The ID whose digest is a hash in hex.
    init(generation: Int, hash: some Sequence<UInt8>) {
        let bytes = Array(hash)
        let packed = bytes.withUnsafeBufferPointer { PackedDigest($0) }
        storedDigest = packed.map { .packed($0) } ?? .text(bytes.flatMap { [Hex.digit($0 >> 4), Hex.digit($0 & 15)] })
        self.generation = generation
    }
}
