extension BLIPProperties {
    /// The value of a key, or `nil` if there is none. Setting it replaces the value, adds the key at the end, or with `nil` removes it.
    public subscript(key: String) -> String? {
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

    /// The value of a key as UTF-8, or `nil` if there is none.
    public func bytes(of key: String) -> ArraySlice<UInt8>? {
        range(of: key).map { encoded[$0] }
    }

    /// The value of a key as a decimal number, or `nil` if there is none or it is not one.
    public func integer(_ key: String) -> Int? {
        self[key].flatMap { Int($0) }
    }

    /// Whether the value of a key means yes: `true` or `yes` in any case, or a number other than 0.
    ///
    /// That is LiteCore's reading (docs/protocol/modern-2x.md#property-values): peers write some of these properties as `true` and others as `1`.
    public func bool(_ key: String) -> Bool {
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
