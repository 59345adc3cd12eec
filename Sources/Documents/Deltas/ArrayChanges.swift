/// The members of a delta that is applied to an array: changes of elements, and at most one list that takes the place of the last ones.
struct ArrayChanges {
    private(set) var tail: (start: Int, list: DeltaArray)?
    var elements: [Int: DeltaNode] = [:]

    init(_ delta: DeltaMembers) throws(DocumentError) {
        for member in delta.members {
            guard member.name.last == UInt8(ascii: "-") else {
                elements[try Self.index(member.name[...])] = member.node
                continue
            }
            guard tail == nil, case .array(let list) = member.node else {
                throw JSONDelta.bad("has more than one end for an array, or one that is no list")
            }
            tail = (try Self.index(member.name.dropLast()), list)
        }
    }

    /// An index in its only spelling.
    private static func index(_ digits: ArraySlice<UInt8>) throws(DocumentError) -> Int {
        guard 1...9 ~= digits.count, digits.allSatisfy({ 0x30...0x39 ~= $0 }), digits.count == 1 || digits.first != 0x30 else {
            throw JSONDelta.bad("has something else than indices for an array")
        }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
