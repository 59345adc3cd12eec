/// Rows of a table in one buffer, in the form that PostgreSQL's `COPY` has in its binary format: for each row the number of columns in 16 bits, and
/// for each column the length of the value in 32 bits, -1 for null, and the value. Integers have 64 bits, flags one byte; numbers begin with their
/// highest byte.
///
/// Equal rows are equal bytes in every engine, so a comparison needs no reading of the values.
package struct StoredRows: Sendable {
    package let table: CopiedTable
    package private(set) var bytes: [UInt8] = []

    /// The end of each row in ``bytes``.
    package private(set) var ends: [Int] = []

    package init(of table: CopiedTable) {
        self.table = table
    }

    package var count: Int { ends.count }
    package var isEmpty: Bool { ends.isEmpty }

    /// The place of a row in ``bytes``.
    package func range(_ row: Int) -> Range<Int> { (row == 0 ? 0 : ends[row - 1])..<ends[row] }

    /// The values of a row; `nil` for null.
    package func fields(_ row: Int) -> [Range<Int>?] {
        var place = range(row).lowerBound + 2
        return table.columns.map { _ in
            let length = Int(number(at: place, bytes: 4))
            place += 4
            guard length >= 0 else { return nil }
            defer { place += length }
            return place..<place + length
        }
    }

    package func integer(_ field: Range<Int>) -> Int64 { number(at: field.lowerBound, bytes: field.count) }

    package func key(of row: Int) -> StoredKey {
        let fields = fields(row)
        return StoredKey(
            table.key.map { column in
                guard let field = fields[column] else { return .bytes([]) }
                return table.columns[column].kind == .integer ? .integer(integer(field)) : .bytes(Array(bytes[field]))
            })
    }

    /// A signed number of at most eight bytes.
    private func number(at place: Int, bytes count: Int) -> Int64 {
        var value: Int64 = count > 0 && bytes[place] >= 0x80 && count > 1 ? -1 : 0
        for byte in bytes[place..<place + count] { value = value << 8 | Int64(byte) }
        return value
    }
}

// MARK: Building

extension StoredRows {
    /// Begins a row of all columns.
    package mutating func beginRow() { append(UInt16(truncatingIfNeeded: table.columns.count)) }

    package mutating func endRow() { ends.append(bytes.count) }

    package mutating func appendNull() { append(Int32(-1)) }

    package mutating func append(integer: Int64) {
        append(Int32(8))
        append(integer)
    }

    package mutating func append(flag: Bool) {
        append(Int32(1))
        bytes.append(flag ? 1 : 0)
    }

    package mutating func append(bytes value: UnsafeRawBufferPointer) {
        append(Int32(truncatingIfNeeded: value.count))
        bytes.append(contentsOf: value)
    }

    /// Adds a whole row in this form. Every other function relies on it.
    ///
    /// - Throws: ``StorageError`` `corrupt` for bytes that are no row of the table.
    package mutating func append(row: UnsafeRawBufferPointer) throws {
        let start = bytes.count
        bytes.append(contentsOf: row)
        guard isRow(bytes[start...]) else {
            bytes.removeLast(bytes.count - start)
            throw StorageError(.corrupt, "A row of the table \(table.name) has another form than the copy expects; check the store")
        }
        endRow()
    }

    private func isRow(_ row: ArraySlice<UInt8>) -> Bool {
        guard row.count >= 2, number(at: row.startIndex, bytes: 2) == Int64(table.columns.count) else { return false }
        var place = row.startIndex + 2
        for column in table.columns {
            guard row.endIndex - place >= 4 else { return false }
            let length = Int(number(at: place, bytes: 4))
            place += 4
            guard length >= 0 else { continue }
            let fits = column.kind == .integer ? length == 8 : column.kind == .flag ? length == 1 : true
            guard fits, row.endIndex - place >= length else { return false }
            place += length
        }
        return place == row.endIndex
    }

    private mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
}

/// The bounds of a batch. A batch ends with the row that reaches one of them.
package struct BatchLimit: Sendable {
    package var rows = 5_000
    package var bytes = 4 << 20

    package init() {}

    package func isReached(by batch: StoredRows) -> Bool { batch.count >= rows || batch.bytes.count >= bytes }
}
