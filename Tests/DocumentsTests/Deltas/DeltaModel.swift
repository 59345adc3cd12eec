import Documents

/// A simple model of Couchbase Lite's way to apply a delta: value by value, by the table of the format.
enum DeltaModel {
    struct Corrupt: Error {}

    static func apply(_ delta: JSONValue, to old: JSONValue?) throws -> JSONValue? {
        switch (delta, old) {
        case (.object(let changes), .object(let members)?):
            var result = members
            for change in changes {
                let place = result.firstIndex { $0.key == change.key }
                let value = try apply(change.value, to: place.map { result[$0].value })
                switch (place, value) {
                case (let place?, let value?): result[place] = JSONMember(change.key, value)
                case (let place?, nil): result.remove(at: place)
                case (nil, let value?): result.append(JSONMember(change.key, value))
                case (nil, nil): throw Corrupt()
                }
            }
            return .object(result)
        case (.object(let changes), .array(let elements)?):
            var result = elements
            for change in changes where !change.key.hasSuffix("-") {
                guard let index = Int(change.key), elements.indices.contains(index),
                    let value = try apply(change.value, to: elements[index])
                else { throw Corrupt() }
                result[index] = value
            }
            for change in changes where change.key.hasSuffix("-") {
                guard let index = Int(change.key.dropLast()), let list = change.value.array else { throw Corrupt() }
                result = Array(result[..<index]) + list
            }
            return .array(result)
        case (.object(let changes), let old?) where changes.isEmpty: return old
        case (.object, _): throw Corrupt()
        case (.array(let items), _):
            switch items.count {
            case 0 where old != nil: return nil
            case 1: return items[0]
            case 2 where old != nil: return items[1]
            case 3 where items[2] == .number("0") && old != nil: return nil
            case 3 where items[2] == .number("2"): return .string(try patch(items[0].string, old?.string))
            default: throw Corrupt()
            }
        default: return delta
        }
    }

    private static func patch(_ patch: String?, _ old: String?) throws -> String {
        guard let patch, let old else { throw Corrupt() }
        var rest = Array(patch.utf8)[...]
        var source = Array(old.utf8)[...]
        var result: [UInt8] = []
        while !rest.isEmpty {
            let digits = rest.prefix { 0x30...0x39 ~= $0 }
            guard let count = Int(String(decoding: digits, as: UTF8.self)), let operation = rest.dropFirst(digits.count).first else {
                throw Corrupt()
            }
            rest = rest.dropFirst(digits.count + 1)
            switch operation {
            case UInt8(ascii: "="):
                result += source.prefix(count)
                source = source.dropFirst(count)
            case UInt8(ascii: "-"): source = source.dropFirst(count)
            case UInt8(ascii: "+"):
                result += rest.prefix(count)
                rest = rest.dropFirst(count)
                guard rest.popFirst() == UInt8(ascii: "|") else { throw Corrupt() }
            default: throw Corrupt()
            }
        }
        guard source.isEmpty, let text = String(validating: result, as: UTF8.self) else { throw Corrupt() }
        return text
    }
}
