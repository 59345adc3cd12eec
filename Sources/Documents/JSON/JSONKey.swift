/// The key of the member that is being read. It is valid only during the read; ``string()`` copies it.
package struct JSONKey: ~Copyable {
    /// The bytes between the quotes, escapes included.
    let raw: UnsafeBufferPointer<UInt8>

    let isEscaped: Bool

    /// The offset of the key's opening quote, in bytes from the start of the text.
    package let offset: Int

    init(raw: UnsafeBufferPointer<UInt8>, isEscaped: Bool, offset: Int) {
        self.raw = raw
        self.isEscaped = isEscaped
        self.offset = offset
    }

    /// Whether the key begins with an underscore, escaped or not.
    package var isReserved: Bool {
        guard let first = raw.first else { return false }
        if first == 0x5c { return JSONText.unescaped(raw).bytes.first == 0x5f }
        return first == 0x5f
    }

    /// The key as text.
    ///
    /// - Throws: ``JSONError`` `loneSurrogate` if the key has a lone surrogate.
    package func string() throws(JSONError) -> String {
        guard isEscaped else { return String(decoding: raw, as: UTF8.self) }
        let (bytes, hasLoneSurrogate) = JSONText.unescaped(raw)
        guard !hasLoneSurrogate else { throw JSONError(.loneSurrogate, at: offset) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The key as text, with U+FFFD for each lone surrogate.
    var replacedString: String {
        guard isEscaped else { return String(decoding: raw, as: UTF8.self) }
        return String(decoding: JSONText.unescaped(raw, replacesLoneSurrogates: true).bytes, as: UTF8.self)
    }

    /// Whether the key equals a name. Escapes are decoded: `"\u005fid"` equals `_id`.
    package static func == (key: borrowing JSONKey, name: StaticString) -> Bool {
        let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        guard !key.isEscaped else { return JSONText.unescaped(key.raw).bytes.elementsEqual(name) }
        return key.raw.count == name.count && key.raw.elementsEqual(name)
    }

    /// Whether the key, with its escapes replaced, has these UTF-8 bytes.
    package func matches(_ name: String.UTF8View) -> Bool {
        isEscaped ? JSONText.unescaped(raw).bytes.elementsEqual(name) : raw.elementsEqual(name)
    }
}

/// The keys of one object read so far, to find duplicates.
struct JSONKeySet {
    /// The maximum number of keys that are compared linearly. Objects with more keys are rare and use a hashed set.
    private static let linearLimit = 16

    /// A key with a fingerprint of its length and first bytes, which differs for most different keys.
    private struct Small {
        let fingerprint: UInt64
        let key: UnsafeBufferPointer<UInt8>
    }

    private var small: [Small] = []
    private var hashed: Set<[UInt8]> = []

    /// Adds a key, and returns whether it is new. The key's bytes must outlive the set.
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

    /// The key's length and first seven bytes: unique for keys of at most seven bytes.
    private static func fingerprint(_ key: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var fingerprint = UInt64(truncatingIfNeeded: min(key.count, 255))
        for byte in key.prefix(7) { fingerprint = fingerprint << 8 | UInt64(byte) }
        return fingerprint
    }
}
