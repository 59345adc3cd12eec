extension RevisionID {
    /// The ID that this text is; nil unless it is a generation from 1 to 2^53 - 1 without sign or leading zeros, a hyphen, and a
    /// digest of 1 to 250 bytes without control characters, spaces and commas.
    public init?(_ text: String) {
        var text = text
        guard let parsed = text.withUTF8({ Self.parse($0) }) else { return nil }
        self = parsed
    }

    /// The ID whose text is these UTF-8 bytes, under the same rules.
    public init?(utf8 bytes: some Collection<UInt8>) {
        let parsed = bytes.withContiguousStorageIfAvailable { Self.parse($0) } ?? Array(bytes).withUnsafeBufferPointer { Self.parse($0) }
        guard let parsed else { return nil }
        self = parsed
    }

    /// The ID of this generation and digest; nil under the same rules.
    public init?(generation: Int, digest: some StringProtocol) {
        var digest = String(digest)
        guard let parsed = digest.withUTF8({ Self.make(generation: generation, digest: $0) }) else { return nil }
        self = parsed
    }

    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> RevisionID? {
        var generation = 0
        var index = 0
        while index < bytes.count, bytes[index] &- 0x30 < 10 {
            // 16 digits are enough for the largest generation and cannot overflow.
            guard index < 16 else { return nil }
            generation = generation * 10 + Int(bytes[index] - 0x30)
            index += 1
        }
        guard index > 0, index < bytes.count, bytes[0] != 0x30, bytes[index] == 0x2d else { return nil }
        return make(generation: generation, digest: UnsafeBufferPointer(rebasing: bytes[(index + 1)...]))
    }

    static func make(generation: Int, digest: UnsafeBufferPointer<UInt8>) -> RevisionID? {
        guard 1...maximumGeneration ~= generation, 1...maximumDigestLength ~= digest.count else { return nil }
        if let packed = PackedDigest(hex: digest) { return RevisionID(generation: generation, storedDigest: .packed(packed)) }
        for byte in digest where byte <= 0x20 || byte == 0x2c || byte == 0x7f { return nil }
        guard String(validating: digest, as: UTF8.self) != nil else { return nil }
        return RevisionID(generation: generation, storedDigest: .text(Array(digest)))
    }
}
