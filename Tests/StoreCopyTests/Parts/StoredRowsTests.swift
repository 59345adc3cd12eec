import Testing

@testable import Storage

@Suite("Rows in PostgreSQL's binary form")
struct StoredRowsTests {
    private func copied(_ row: [UInt8], of table: CopiedTable) throws -> StoredRows {
        var rows = StoredRows(of: table)
        try row.withUnsafeBytes { try rows.append(row: $0) }
        return rows
    }

    @Test("A row is taken as it is, and no part of it, nothing longer, and no row of another width", arguments: CopiedTable.all.map(\.name))
    func form(name: String) throws {
        let table = try #require(CopiedTable.named(name))
        var random = RandomRows(seed: 1, nullable: [])
        let row = random.rows(of: table, count: 1).bytes
        #expect(try copied(row, of: table).bytes == row)
        for end in 0..<row.count {
            #expect(throws: StorageError.self) { try copied(Array(row[..<end]), of: table) }
        }
        #expect(throws: StorageError.self) { try copied(row + [0], of: table) }
        var wider = row
        wider[1] &+= 1
        #expect(throws: StorageError.self) { try copied(wider, of: table) }
    }

    @Test("A length from outside traps in no place")
    func lengths() throws {
        let table = try #require(CopiedTable.named("collections"))
        var random = RandomRows(seed: 2, nullable: [])
        let row = random.rows(of: table, count: 1).bytes
        for place in 2..<row.count {
            for byte: UInt8 in [0, 0x7f, 0x80, 0xff] {
                var damaged = row
                damaged[place] = byte
                guard let rows = try? copied(damaged, of: table) else { continue }
                #expect(rows.fields(0).count == table.columns.count)
                _ = rows.key(of: 0)
            }
        }
    }
}
