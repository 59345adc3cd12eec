extension JSONValue {
    /// The value of an object's member; nil if there is none or this is no object.
    public subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }

    /// The elements, if this is an array.
    public var array: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The members, if this is an object.
    public var members: [JSONMember]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    /// The text, if this is a string.
    public var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The number, if this is one without fraction or exponent that fits 64 bits.
    public var int: Int? {
        guard case .number(let text) = self else { return nil }
        return Int(text)
    }

    /// The number, if this is one.
    public var double: Double? {
        guard case .number(let text) = self else { return nil }
        return Double(text)
    }

    /// The truth value, if this is one.
    public var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// Appends the value's JSON.
    public func append(to bytes: inout [UInt8]) {
        switch self {
        case .null: JSONWriter.append(raw: "null", to: &bytes)
        case .bool(let value): JSONWriter.append(value, to: &bytes)
        case .number(let text): bytes.append(contentsOf: text.utf8)
        case .string(let text): JSONWriter.append(text, to: &bytes)
        case .array(let elements):
            bytes.append(0x5b)
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(0x2c) }
                element.append(to: &bytes)
            }
            bytes.append(0x5d)
        case .object(let members):
            bytes.append(0x7b)
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(0x2c) }
                JSONWriter.append(key: member.key, to: &bytes)
                member.value.append(to: &bytes)
            }
            bytes.append(0x7d)
        }
    }
}
