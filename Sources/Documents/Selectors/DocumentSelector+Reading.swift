extension DocumentSelector {
    /// Reads an object whose members must all match. Negations are pushed down to the fields, as CouchDB does.
    static func selector(_ json: JSONValue, negated: Bool) throws -> Condition {
        guard let members = json.members else { throw refusal("a selector has to be an object") }
        return joined(try members.map { try member($0, negated: negated) }, negated: negated)
    }

    private static func member(_ member: JSONMember, negated: Bool) throws -> Condition {
        switch member.key {
        case "$and": return joined(try list(member).map { try selector($0, negated: negated) }, negated: negated)
        case "$or": return joined(try list(member).map { try selector($0, negated: negated) }, negated: !negated)
        case "$nor": return joined(try list(member).map { try selector($0, negated: !negated) }, negated: negated)
        case "$not": return try selector(member.value, negated: !negated)
        case let key where key.utf8.first == UInt8(ascii: "$"): return try test(member, negated: negated)
        default: return .field(path(member.key), try value(member.value, negated: negated))
        }
    }

    /// Reads the condition of a field: a value for equality, operators, or nested fields.
    private static func value(_ json: JSONValue, negated: Bool) throws -> Condition {
        guard case .object(let members) = json, !members.isEmpty else {
            return .test(.ordered(.equal, json), negated: negated)
        }
        return try selector(json, negated: negated)
    }

    private static func test(_ member: JSONMember, negated: Bool) throws -> Condition {
        func test(_ test: Test) -> Condition { .test(test, negated: negated) }
        let operand = member.value
        switch member.key {
        case "$eq": return test(.ordered(.equal, operand))
        case "$ne": return test(.ordered(.unequal, operand))
        case "$lt": return test(.ordered(.less, operand))
        case "$lte": return test(.ordered(.lessOrEqual, operand))
        case "$gt": return test(.ordered(.greater, operand))
        case "$gte": return test(.ordered(.greaterOrEqual, operand))
        case "$in": return test(.isIn(try list(member)))
        case "$nin": return .test(.isIn(try list(member)), negated: !negated)
        case "$all": return test(.containsAll(try list(member)))
        case "$elemMatch": return test(.anyElement(try value(operand, negated: false)))
        case "$allMatch": return test(.allElements(try value(operand, negated: false)))
        case "$exists":
            guard let exists = operand.bool else { throw refusal("$exists has to be true or false") }
            return .exists(exists != negated)
        case "$type":
            guard let type = operand.string, types.contains(type) else { throw refusal("$type has to be one of \(types)") }
            return test(.hasType(type))
        case "$size":
            guard let size = operand.int, size >= 0 else { throw refusal("$size has to be a whole number") }
            return test(.hasSize(size))
        case "$mod":
            guard let numbers = operand.array?.compactMap(\.int), numbers.count == 2, numbers[0] > 0 else {
                throw refusal("$mod has to be an array of a divisor above 0 and a remainder")
            }
            return test(.leavesRemainder(numbers[1], of: numbers[0]))
        default: throw refusal("the operator \(member.key) is unknown")
        }
    }

    static let types = ["null", "boolean", "number", "string", "array", "object"]

    /// Joins conditions by "and", or, if negated, by "or" (de Morgan's rule).
    private static func joined(_ conditions: [Condition], negated: Bool) -> Condition {
        if conditions.count == 1 { return conditions[0] }
        return negated ? .any(conditions) : .all(conditions)
    }

    private static func list(_ member: JSONMember) throws -> [JSONValue] {
        guard let list = member.value.array else { throw refusal("\(member.key) has to be an array") }
        return list
    }

    /// Splits a field path at its dots; `\\.` is a dot within a name.
    private static func path(_ text: String) -> [String] {
        var path: [[UInt8]] = [[]]
        var isEscaped = false
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: ".") where !isEscaped: path.append([])
            case UInt8(ascii: "\\") where !isEscaped:
                isEscaped = true
                continue
            case UInt8(ascii: "."): path[path.count - 1].append(byte)
            default:
                if isEscaped { path[path.count - 1].append(UInt8(ascii: "\\")) }
                path[path.count - 1].append(byte)
            }
            isEscaped = false
        }
        return path.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func refusal(_ message: String) -> DocumentError {
        DocumentError(.badSelector, "Bad selector: \(message)")
    }
}
