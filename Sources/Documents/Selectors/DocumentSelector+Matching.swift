extension DocumentSelector {
    /// - Parameter value: The value to test; `nil` if the field does not exist.
    static func matches(_ condition: Condition, _ value: JSONValue?) -> Bool {
        switch condition {
        case .all(let conditions): return conditions.allSatisfy { matches($0, value) }
        case .any(let conditions): return conditions.contains { matches($0, value) }
        case .field(let path, let condition): return matches(condition, field(path[...], of: value))
        case .exists(let exists): return (value != nil) == exists
        case .test(let test, let negated):
            guard let value else { return false }
            return passes(test, value) != negated
        }
    }

    /// Numbers in a path are indexes of array elements.
    private static func field(_ path: ArraySlice<String>, of value: JSONValue?) -> JSONValue? {
        guard let name = path.first else { return value }
        guard let value else { return nil }
        if let elements = value.array {
            guard let index = Int(name), elements.indices.contains(index) else { return nil }
            return field(path.dropFirst(), of: elements[index])
        }
        return field(path.dropFirst(), of: value[name])
    }

    private static func passes(_ test: Test, _ value: JSONValue) -> Bool {
        switch test {
        case .ordered(let order, let operand): return fulfils(order, value, operand)
        case .isIn(let list):
            // An array matches if any of its elements is in the list.
            if case .array(let elements) = value, elements.contains(where: { isAmong(list, $0) }) { return true }
            return isAmong(list, value)
        case .hasType(let type): return self.type(of: value) == type
        case .hasSize(let size): return value.array?.count == size
        case .leavesRemainder(let remainder, let divisor): return value.int.map { $0 % divisor == remainder } ?? false
        case .containsAll(let list):
            guard let elements = value.array else { return false }
            return list.allSatisfy { isAmong(elements, $0) }
        case .anyElement(let condition): return value.array?.contains { matches(condition, $0) } ?? false
        case .allElements(let condition):
            guard let elements = value.array, !elements.isEmpty else { return false }
            return elements.allSatisfy { matches(condition, $0) }
        }
    }

    private static func isAmong(_ list: [JSONValue], _ value: JSONValue) -> Bool {
        list.contains { compare($0, value) == 0 }
    }

    private static func fulfils(_ order: Order, _ value: JSONValue, _ operand: JSONValue) -> Bool {
        let result = compare(value, operand)
        return switch order {
        case .equal: result == 0
        case .unequal: result != 0
        case .less: result < 0
        case .lessOrEqual: result <= 0
        case .greater: result > 0
        case .greaterOrEqual: result >= 0
        }
    }

    /// The order by type, then by value: negative if the first value precedes the second.
    private static func compare(_ first: JSONValue, _ second: JSONValue) -> Int {
        switch (first, second) {
        case (.number(let first), .number(let second)):
            if first == second { return 0 }
            if let first = Int(first), let second = Int(second) { return first < second ? -1 : first > second ? 1 : 0 }
            let (first, second) = (Double(first) ?? 0, Double(second) ?? 0)
            return first < second ? -1 : first > second ? 1 : 0
        case (.string(let first), .string(let second)): return compare(first, second)
        case (.array(let first), .array(let second)):
            for (first, second) in zip(first, second) {
                let result = compare(first, second)
                if result != 0 { return result }
            }
            return first.count - second.count
        case (.object(let first), .object(let second)):
            // The order of members is irrelevant.
            let (first, second) = (sorted(first), sorted(second))
            for (first, second) in zip(first, second) {
                let result = compare(first.key, second.key)
                if result != 0 { return result }
                let values = compare(first.value, second.value)
                if values != 0 { return values }
            }
            return first.count - second.count
        default: return rank(first) - rank(second)
        }
    }

    private static func compare(_ first: String, _ second: String) -> Int {
        if first.utf8.elementsEqual(second.utf8) { return 0 }
        return first.utf8.lexicographicallyPrecedes(second.utf8) ? -1 : 1
    }

    private static func sorted(_ members: [JSONMember]) -> [JSONMember] {
        members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    private static func rank(_ value: JSONValue) -> Int {
        switch value {
        case .null: 0
        case .bool(false): 1
        case .bool(true): 2
        case .number: 3
        case .string: 4
        case .array: 5
        case .object: 6
        }
    }

    private static func type(of value: JSONValue) -> String {
        switch value {
        case .null: types[0]
        case .bool: types[1]
        case .number: types[2]
        case .string: types[3]
        case .array: types[4]
        case .object: types[5]
        }
    }
}
