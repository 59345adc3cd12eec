/// The ID of a revision in a revision tree: `generation-digest`, as in `2-c5557c751fcbfe4cd1f7221085d9ff70`.
///
/// The digest is opaque text to 1.x clients, CouchDB and Sync Gateway. Couchbase Lite 2.x+ takes lower-case hex only; see
/// ``isNative`` and ``modernAlias``. Two IDs are equal when their texts have the same bytes.
public struct RevisionID: Hashable, Sendable {
    /// The largest generation: the largest whole number that every JSON reader keeps exact, 2^53 - 1.
    public static let maximumGeneration = (1 << 53) - 1

    /// The longest digest in bytes.
    public static let maximumDigestLength = 250

    /// How the digest is kept. A digest that can be packed always is, so equal digests are kept alike.
    enum Digest: Hashable, Sendable {
        case packed(PackedDigest)
        case text([UInt8])
    }

    /// The revision's distance from the document's creation, from 1.
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

    /// What follows the generation's hyphen.
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
    public var description: String { text }
}

extension RevisionID: Comparable {
    /// By generation, then by the digest's bytes: the order that picks a winner among leaves.
    public static func < (lhs: RevisionID, rhs: RevisionID) -> Bool {
        guard lhs.generation == rhs.generation else { return lhs.generation < rhs.generation }
        if case .packed(let left) = lhs.storedDigest, case .packed(let right) = rhs.storedDigest { return left < right }
        return lhs.digest.utf8.lexicographicallyPrecedes(rhs.digest.utf8)
    }
}
