/// The keys of one object seen so far, to find the first that comes again.
struct JSONKeySet {
    /// Up to here each key is compared with all before it; an object with more keys is rare, and gets a hashed set.
    private static let linearLimit = 16

    /// A key's length and first bytes: different for most keys that differ.
    private struct Small {
        let fingerprint: UInt64
        let key: UnsafeBufferPointer<UInt8>
    }

    private var small: [Small] = []
    private var hashed: Set<[UInt8]> = []

    /// Adds a key, and answers whether it is new. The key's bytes must outlive the set.
    mutating func insert(_ key: borrowing JSONKey) -> Bool {
        if key.isEscaped {
            if hashed.isEmpty { moveToHashed() }
            return hashed.insert(JSONText.unescaped(key.raw).bytes).inserted
        }
        guard hashed.isEmpty else { return hashed.insert(Array(key.raw)).inserted }
        let fingerprint = Self.fingerprint(key.raw)
        for other in small where other.fingerprint == fingerprint {
            if other.key.count <= 7 || other.key.elementsEqual(key.raw) { return false }
        }
        if small.isEmpty { small.reserveCapacity(Self.linearLimit) }
        small.append(Small(fingerprint: fingerprint, key: key.raw))
        if small.count > Self.linearLimit { moveToHashed() }
        return true
    }

    private mutating func moveToHashed() {
        for other in small { hashed.insert(Array(other.key)) }
        small = []
    }

    /// The whole key and its length where it has at most seven bytes.
    private static func fingerprint(_ key: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var fingerprint = UInt64(truncatingIfNeeded: min(key.count, 255))
        for byte in key.prefix(7) { fingerprint = fingerprint << 8 | UInt64(byte) }
        return fingerprint
    }
}
