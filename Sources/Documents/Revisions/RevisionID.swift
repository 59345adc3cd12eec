import Crypto

/// The ID of a revision in a revision tree: `generation-digest`, as in `2-c5557c751fcbfe4cd1f7221085d9ff70`.
///
/// The digest is opaque text to 1.x clients, CouchDB and Sync Gateway. Couchbase Lite 2.x+ accepts only lower-case hex; see
/// `isNative` and `modernAlias`. Two IDs are equal when their texts have the same bytes.
public struct RevisionID: Hashable, Sendable {
    /// The largest generation: the largest integer that every JSON reader represents exactly, 2^53 - 1.
    public static let maximumGeneration = (1 << 53) - 1

    /// The maximum length of a digest in bytes.
    public static let maximumDigestLength = 250

    /// The stored form of a digest. Digests that can be packed always are, so equal digests have equal forms.
    enum Digest: Hashable, Sendable {
        case packed(PackedDigest)
        case text([UInt8])
    }

    /// The number of the revision in its branch, counted from 1 at the document's creation.
    public let generation: Int

    let storedDigest: Digest

    init(generation: Int, storedDigest: Digest) {
        self.generation = generation
        self.storedDigest = storedDigest
    }

    /// The whole ID as text.
    public var text: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64)
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text after the generation's hyphen.
    public var digest: Substring {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * PackedDigest.maximumCount)
        appendDigest(to: &bytes)
        return Substring(decoding: bytes, as: UTF8.self)
    }

    /// Appends the ID's text.
    public func append(to bytes: inout [UInt8]) {
        Decimal.append(generation, to: &bytes)
        bytes.append(0x2d)
        appendDigest(to: &bytes)
    }

    /// Appends the digest's text.
    public func appendDigest(to bytes: inout [UInt8]) {
        switch storedDigest {
        case .packed(let packed): packed.appendHex(to: &bytes)
        case .text(let text): bytes.append(contentsOf: text)
        }
    }
}

extension RevisionID: CustomStringConvertible {
    /// The same as ``text``.
    public var description: String { text }
}

extension RevisionID: Comparable {
    /// By generation, then by the digest's bytes: the order that determines the winner among leaves.
    public static func < (lhs: RevisionID, rhs: RevisionID) -> Bool {
        guard lhs.generation == rhs.generation else { return lhs.generation < rhs.generation }
        if case .packed(let left) = lhs.storedDigest, case .packed(let right) = rhs.storedDigest { return left < right }
        return lhs.digest.utf8.lexicographicallyPrecedes(rhs.digest.utf8)
    }
}

extension RevisionID {
    /// Parses an ID; nil if it is malformed.
    ///
    /// A valid ID is a generation from 1 to 2^53 - 1 without sign or leading zeros, a hyphen, and a digest of 1 to 250 bytes without
    /// control characters, spaces and commas.
    public init?(_ text: String) {
        var text = text
        guard let parsed = text.withUTF8({ Self.parse($0) }) else { return nil }
        self = parsed
    }

    /// Parses an ID from its UTF-8 bytes, under the same rules.
    public init?(utf8 bytes: some Collection<UInt8>) {
        let parsed = bytes.withContiguousStorageIfAvailable { Self.parse($0) } ?? Array(bytes).withUnsafeBufferPointer { Self.parse($0) }
        guard let parsed else { return nil }
        self = parsed
    }

    /// Creates an ID from its parts; nil under the same rules.
    public init?(generation: Int, digest: some StringProtocol) {
        var digest = String(digest)
        guard let parsed = digest.withUTF8({ Self.make(generation: generation, digest: $0) }) else { return nil }
        self = parsed
    }

    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> RevisionID? {
        var generation = 0
        var index = 0
        while index < bytes.count, bytes[index] &- 0x30 < 10 {
            // The largest generation has 16 digits, and 16 digits cannot overflow.
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

    /// Whether Couchbase Lite 2.x+ can parse the ID (LiteCore RevID.cc).
    ///
    /// The digest must be an even number of lower-case hex digits, the generation must fit 32 bits, and both together must fit 42 bytes in
    /// binary form.
    public var isNative: Bool {
        guard generation <= UInt32.max else { return false }
        switch storedDigest {
        case .packed:
            return true
        case .text(let text):
            return text.count & 1 == 0 && text.allSatisfy { Hex.value($0) != nil } && Varint.length(generation) + text.count / 2 <= 42
        }
    }

    /// The ID of this revision for Couchbase Lite 2.x+: the ID itself if it is native, else the generation with the SHA-1 of the ID's text.
    ///
    /// A generation over 32 bits is not changed, so its alias is not native either: no client can store it.
    public var modernAlias: RevisionID {
        guard !isNative else { return self }
        var bytes: [UInt8] = []
        append(to: &bytes)
        return RevisionID(generation: generation, hash: Insecure.SHA1.hash(data: bytes))
    }

    /// An ID in the place of an ancestor that is unknown, in LiteCore's form: `4-faded000` and 16 hex digits.
    ///
    /// LiteCore takes random digits. Here they come from this revision, so that a history is the same each time, and the histories of two branches
    /// have no artificial ancestor in common: a receiver would attach one branch to the other.
    ///
    /// - Parameter generation: The ancestor's generation.
    package func artificialAncestor(generation: Int) -> RevisionID {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return RevisionID(generation: generation, hash: [0xfa, 0xde, 0xd0, 0x00] + Insecure.SHA1.hash(data: bytes).prefix(8))
    }

    /// Creates an ID with the hex form of a hash as its digest.
    init(generation: Int, hash: some Sequence<UInt8>) {
        let bytes = Array(hash)
        let packed = bytes.withUnsafeBufferPointer { PackedDigest($0) }
        storedDigest = packed.map { .packed($0) } ?? .text(bytes.flatMap { [Hex.digit($0 >> 4), Hex.digit($0 & 15)] })
        self.generation = generation
    }
}
