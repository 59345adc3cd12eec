/// The named strings of a message, in their order, kept as they are on the wire: `key NUL value NUL …` in UTF-8.
///
/// There are few of them, so looking one up goes through the bytes; nothing becomes a `String` that nobody asks for.
public struct BLIPProperties: Sendable, Equatable {
    /// The strings as on the wire, each with its NUL.
    var encoded: [UInt8]

    /// Whether a key or value was added that holds a NUL and so can't be sent.
    private(set) var hasStrayNUL = false

    /// Creates an empty list.
    public init() {
        encoded = []
    }

    /// Creates an empty list with room for so many bytes.
    public init(reservingCapacity capacity: Int) {
        encoded = []
        encoded.reserveCapacity(capacity)
    }

    init(validated encoded: [UInt8]) {
        self.encoded = encoded
    }

    /// Whether there is none.
    public var isEmpty: Bool {
        encoded.isEmpty
    }

    /// Adds a property at the end, without looking whether there is one with the same key: peers refuse a key given twice.
    ///
    /// A NUL in `key` or `value` can't be sent; the connection then refuses to send the message.
    public mutating func add(_ key: String, _ value: String) {
        append(key)
        append(value)
    }

    /// Adds all of the other's properties at the end, as ``add(_:_:)`` does with one.
    public mutating func add(_ other: BLIPProperties) {
        encoded.append(contentsOf: other.encoded)
        hasStrayNUL = hasStrayNUL || other.hasStrayNUL
    }

    private mutating func append(_ string: String) {
        let start = encoded.count
        encoded.append(contentsOf: string.utf8)
        if encoded[start...].contains(0) {
            hasStrayNUL = true
        }
        encoded.append(0)
    }
}
