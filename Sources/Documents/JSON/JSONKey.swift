/// The key of an object's member while the member is being read. It cannot be kept; ``string()`` can.
public struct JSONKey: ~Copyable {
    /// What stands between the quotes.
    let raw: UnsafeBufferPointer<UInt8>

    let isEscaped: Bool

    /// Where the key's opening quote is, in bytes from the start of the text.
    public let offset: Int

    init(raw: UnsafeBufferPointer<UInt8>, isEscaped: Bool, offset: Int) {
        self.raw = raw
        self.isEscaped = isEscaped
        self.offset = offset
    }

    /// Whether the key begins with an underscore, escaped or not.
    public var isReserved: Bool {
        guard let first = raw.first else { return false }
        if first == 0x5c { return JSONText.unescaped(raw).bytes.first == 0x5f }
        return first == 0x5f
    }

    /// The key as text.
    ///
    /// - Throws: ``JSONError`` `loneSurrogate` where it is no text.
    public func string() throws(JSONError) -> String {
        guard isEscaped else { return String(decoding: raw, as: UTF8.self) }
        let (bytes, hasLoneSurrogate) = JSONText.unescaped(raw)
        guard !hasLoneSurrogate else { throw JSONError(.loneSurrogate, at: offset) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The key as text in which a lone surrogate is U+FFFD.
    var replacedString: String {
        guard isEscaped else { return String(decoding: raw, as: UTF8.self) }
        return String(decoding: JSONText.unescaped(raw, replacesLoneSurrogates: true).bytes, as: UTF8.self)
    }

    /// Whether the key is this one. Escapes do not matter: `"\u005fid"` is `_id`.
    public static func == (key: borrowing JSONKey, name: StaticString) -> Bool {
        let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        guard !key.isEscaped else { return JSONText.unescaped(key.raw).bytes.elementsEqual(name) }
        return key.raw.count == name.count && key.raw.elementsEqual(name)
    }

    /// Whether the key has these UTF-8 bytes once its escapes are replaced.
    public func matches(_ name: String.UTF8View) -> Bool {
        isEscaped ? JSONText.unescaped(raw).bytes.elementsEqual(name) : raw.elementsEqual(name)
    }
}

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
