/// The properties of a message, in order, stored in their wire form: `key NUL value NUL …` in UTF-8.
///
/// A message has few properties, so a lookup scans the bytes. Only requested values are converted to `String`.
package struct BLIPProperties: Sendable, Equatable {
    /// The strings in wire form, each with its NUL.
    var encoded: [UInt8]

    /// Whether a key or value with a NUL was added, so that the message cannot be sent.
    private(set) var hasStrayNUL = false

    /// Creates an empty list.
    package init() {
        encoded = []
    }

    /// Creates an empty list with this capacity in bytes.
    package init(reservingCapacity capacity: Int) {
        encoded = []
        encoded.reserveCapacity(capacity)
    }

    init(validated encoded: [UInt8]) {
        self.encoded = encoded
    }

    /// Whether the list is empty.
    package var isEmpty: Bool {
        encoded.isEmpty
    }

    /// Appends a property without checking for an existing one with the same key; peers refuse duplicate keys.
    ///
    /// A NUL in `key` or `value` cannot be sent; the connection then refuses to send the message.
    package mutating func add(_ key: String, _ value: String) {
        append(key)
        append(value)
    }

    /// Appends all of the other list's properties, like ``add(_:_:)``.
    package mutating func add(_ other: BLIPProperties) {
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

extension BLIPProperties {
    /// The value of a key; `nil` if there is none. Setting replaces the value or appends the key; setting `nil` removes the key.
    package subscript(key: String) -> String? {
        get {
            bytes(of: key).map { String(decoding: $0, as: UTF8.self) }
        }
        set {
            guard newValue != self[key] else { return }
            let others = filter { $0.key != key }
            self = BLIPProperties(reservingCapacity: encoded.count)
            for (key, value) in others {
                add(key, value)
            }
            if let newValue {
                add(key, newValue)
            }
        }
    }

    /// The value of a key as UTF-8; `nil` if there is none.
    package func bytes(of key: String) -> ArraySlice<UInt8>? {
        range(of: key).map { encoded[$0] }
    }

    /// The value of a key as a decimal number; `nil` if there is none or it is not a number.
    package func integer(_ key: String) -> Int? {
        self[key].flatMap { Int($0) }
    }

    /// Whether the value of a key is true: `true` or `yes` in any case, or a number other than 0.
    ///
    /// This is LiteCore's rule (docs/protocol/modern-2x.md#property-values): peers write some of these properties as `true` and others as `1`.
    package func bool(_ key: String) -> Bool {
        guard let value = self[key] else { return false }
        if let number = Int(value) {
            return number != 0
        }
        let lowercased = value.lowercased()
        return lowercased == "true" || lowercased == "yes"
    }

    private func range(of key: String) -> Range<Int>? {
        var key = key
        return key.withUTF8 { key in
            encoded.withUnsafeBufferPointer { Self.range(of: key, in: $0) }
        }
    }

    private static func range(of key: UnsafeBufferPointer<UInt8>, in block: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        var cursor = StringCursor(block)
        while let candidate = cursor.next(), let value = cursor.next() {
            if candidate.count == key.count, block[candidate].elementsEqual(key) {
                return value
            }
        }
        return nil
    }
}

extension BLIPProperties: Sequence, ExpressibleByDictionaryLiteral, CustomStringConvertible {
    /// Creates a list with the given properties, in their order.
    package init(dictionaryLiteral elements: (String, String)...) {
        self.init()
        for (key, value) in elements {
            add(key, value)
        }
    }

    /// The properties in their order.
    package func makeIterator() -> some IteratorProtocol<(key: String, value: String)> {
        var strings = encoded.split(separator: 0, omittingEmptySubsequences: false).makeIterator()
        return AnyIterator {
            guard let key = strings.next(), let value = strings.next() else { return nil }
            return (String(decoding: key, as: UTF8.self), String(decoding: value, as: UTF8.self))
        }
    }

    package var description: String {
        "{" + map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "}"
    }
}

/// Iterates over NUL-terminated strings.
struct StringCursor {
    private let block: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(_ block: UnsafeBufferPointer<UInt8>) {
        self.block = block
    }

    /// The range of the next string without its NUL; `nil` at the end. If the block does not end in NUL, its last string is ignored.
    mutating func next() -> Range<Int>? {
        var end = position
        while end < block.count {
            if block[end] == 0 {
                defer { position = end + 1 }
                return position..<end
            }
            end += 1
        }
        return nil
    }
}
