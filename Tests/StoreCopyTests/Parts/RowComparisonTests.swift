import Storage
import StoreCopy
import Testing

/// A table with an integer key, for tests without a store.
private let table = CopiedTable.named("channels") ?? CopiedTable.all[0]

private final class ListedRows: RowStream {
    private var rest: ArraySlice<(key: Int64, name: String)>

    init(_ rows: [(key: Int64, name: String)]) {
        rest = rows[...]
    }

    func next(_ limit: BatchLimit) throws -> StoredRows? {
        var rows = StoredRows(of: table)
        while !limit.isReached(by: rows), let row = rest.popFirst() {
            rows.beginRow()
            rows.append(integer: row.key)
            Array(row.name.utf8).withUnsafeBytes { rows.append(bytes: $0) }
            rows.endRow()
        }
        return rows.isEmpty ? nil : rows
    }
}

@Suite("The comparison of rows")
struct RowComparisonTests {
    private func compare(_ first: [(Int64, String)], _ second: [(Int64, String)], rows: Int) throws -> RowComparison {
        var comparison = RowComparison()
        var limit = BatchLimit()
        limit.rows = rows
        let first = first.map { (key: $0.0, name: $0.1) }
        let second = second.map { (key: $0.0, name: $0.1) }
        #expect(try comparison.compare(ListedRows(first), ListedRows(second), limit: limit))
        #expect(comparison.rows == first.count)
        return comparison
    }

    @Test("Each set of rows is compared with each other one: missing, surplus and changed rows are found", arguments: [1, 2, 5])
    func all(rows: Int) throws {
        // Each of four keys is absent, has one name, or another.
        let sets = (0..<81).map { number in
            (0..<4).compactMap { key -> (Int64, String)? in
                let state = number / [1, 3, 9, 27][key] % 3
                return state == 0 ? nil : (Int64(key) * 3 - 4, state == 1 ? "a" : "bb")
            }
        }
        for first in sets {
            for second in sets {
                let found = try compare(first, second, rows: rows)
                var expected: Set<RowDifference> = []
                let (a, b) = (Dictionary(uniqueKeysWithValues: first), Dictionary(uniqueKeysWithValues: second))
                for key in Set(a.keys).union(b.keys) where a[key] != b[key] {
                    let kind: RowDifference.Kind = a[key] == nil ? .surplus : b[key] == nil ? .missing : .values(["name"])
                    expected.insert(RowDifference(table: "channels", key: "key \(key)", kind: kind))
                }
                #expect(Set(found.differences) == expected)
                #expect(found.count == expected.count)
            }
        }
    }

    @Test("Many differences are counted, and the first ones are kept")
    func many() throws {
        let found = try compare((0..<100).map { ($0, "a") }, [], rows: 7)
        #expect(found.count == 100)
        #expect(found.differences.count == RowComparison.mostKept)
        #expect(found.differences.first?.description == "channels, key 0: is missing in the copy")
    }

    @Test("Keys sort as the engines sort them: integers with their sign, bytes without")
    func keys() {
        let integers = [Int64.min, -1, 0, 1, .max].map { StoredKey([.integer($0)]) }
        #expect(integers.shuffled().sorted() == integers)
        let texts = [[], [0], [0, 0], [0x7f], [0x80], [0xff], [0xff, 0]].map { StoredKey([.bytes($0), .integer(1)]) }
        #expect(texts.shuffled().sorted() == texts)
    }
}
