import Documents
import Gateway
import TestSupport
import Testing

@testable import Migration

@Suite("Revision trees of LiteCore")
struct RawRevisionTreeTests {
    /// A revision as RawRevTree.cc writes it.
    private static func raw(_ generation: UInt8, _ digest: UInt8, parent: UInt16, flags: UInt8, body: [UInt8] = []) -> [UInt8] {
        let size = UInt8(8 + 3 + 1 + body.count)
        return [0, 0, 0, size, UInt8(parent >> 8), UInt8(parent & 0xff), flags, 3, generation, digest, digest, 7] + body
    }

    private static let conflicted =
        raw(2, 0xbb, parent: 2, flags: 0x82, body: [0x70, 0x00]) + raw(2, 0xaa, parent: 2, flags: 0x03)
        + raw(1, 0x11, parent: 0xffff, flags: 0)
        + [0, 0, 0, 0, 0, 1, 0, 0]

    @Test("Leaves, tombstones, bodies and histories are decoded")
    func tree() throws {
        let tree = try RawRevisionTree(Self.conflicted[...])
        #expect(tree.revisions.map(\.id.text) == ["2-bbbb", "2-aaaa", "1-1111"])
        #expect(tree.revisions.map(\.isLeaf) == [true, true, false])
        #expect(tree.revisions.map(\.isDeleted) == [false, true, false])
        #expect(tree.revisions.map(\.body) == [[0x70, 0x00], nil, nil])
        #expect(tree.history(of: 1).map(\.text) == ["2-aaaa", "1-1111"])
    }

    @Test("Damaged trees are refused without a crash", arguments: 0..<200 as Range<UInt64>)
    func mutations(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            var damaged = Self.conflicted
            for _ in 0...2 {
                damaged[Int.random(in: damaged.indices, using: &generator)] = UInt8.random(in: .min ... .max, using: &generator)
            }
            damaged.removeLast(Int.random(in: 0..<damaged.count, using: &generator))
            guard let tree = try? RawRevisionTree(damaged[...]) else { continue }
            for index in tree.revisions.indices { #expect((try? RevisionHistory.validate(tree.history(of: index))) != nil, "seed \(seed)") }
        }
    }

    @Test(
        "Impossible trees are refused", arguments: [[], [0, 0, 0, 0], [0, 0, 0, 4], [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]] as [[UInt8]])
    func malformed(bytes: [UInt8]) {
        #expect(throws: RawRevisionTree.Malformed.self) { try RawRevisionTree(bytes[...]) }
    }

    @Test("A parent that is not older is refused, so that no history is endless")
    func circle() {
        let bytes = Self.raw(2, 0xbb, parent: 1, flags: 0x02) + Self.raw(2, 0xaa, parent: 0, flags: 0) + [0, 0, 0, 0]
        #expect(throws: RawRevisionTree.Malformed.self) { try RawRevisionTree(bytes[...]) }
    }

    @Test(
        "Tables are assigned to their collections",
        arguments: [
            ("kv_default", "_default._default"), ("kv_del_default", "_default._default"), ("kv_.sales.orders", "sales.orders"),
            ("kv_del_.\\Sales.or\\Ders", "Sales.orDers"), ("kv_.orders", "_default.orders"), ("kv_info", nil), ("kv_default::x", nil),
            ("docs", nil),
        ])
    func tables(table: String, collection: String?) {
        #expect(ModernTable.collection(of: table)?.description == collection)
    }
}
