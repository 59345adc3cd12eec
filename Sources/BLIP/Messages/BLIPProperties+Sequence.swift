extension BLIPProperties: Sequence, ExpressibleByDictionaryLiteral, CustomStringConvertible {
    /// A list with the given properties, in their order.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init()
        for (key, value) in elements {
            add(key, value)
        }
    }

    /// The properties one by one, in their order.
    public func makeIterator() -> some IteratorProtocol<(key: String, value: String)> {
        var strings = encoded.split(separator: 0, omittingEmptySubsequences: false).makeIterator()
        return AnyIterator {
            guard let key = strings.next(), let value = strings.next() else { return nil }
            return (String(decoding: key, as: UTF8.self), String(decoding: value, as: UTF8.self))
        }
    }

    public var description: String {
        "{" + map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "}"
    }
}
