import Storage

/// Runs statements. Each is a literal at its place of use; the literal's address is the key of the prepared statement.
extension PostgreSQLConnection {
    /// Sends a statement that changes data. Its failure, if any, is thrown later.
    func run<each Value: PostgreSQLValue>(_ sql: StaticString, _ values: repeat each Value) throws {
        let types = try bind(repeat each values)
        try send(sql, types: types, isWrite: true)
    }

    /// Inserts a row together with others. It is sent before the next other statement, and its failure, if any, is thrown later.
    ///
    /// - Parameter sql: The statement, which takes an array for each value.
    func insert<each Value: PostgreSQLValue>(_ sql: StaticString, _ values: repeat each Value) throws {
        try queue(sql, types: types(binding: repeat each values))
    }

    /// Sends a statement that has to change one row.
    ///
    /// - Parameter error: The failure if it changes none, which is thrown later.
    func runOnce<each Value: PostgreSQLValue>(
        otherwise error: @autoclosure () -> StorageError, _ sql: StaticString, _ values: repeat each Value
    ) throws {
        let types = try bind(repeat each values)
        try send(sql, types: types, isWrite: true, changes: 1, otherwise: error())
    }

    /// Runs a statement that changes data, and waits for it.
    ///
    /// - Returns: The number of changed rows.
    @discardableResult
    func change<each Value: PostgreSQLValue>(_ sql: StaticString, _ values: repeat each Value) throws -> Int {
        let types = try bind(repeat each values)
        try send(sql, types: types, isWrite: true)
        return try receive()?.changes ?? 0
    }

    /// Runs a statement that changes data and returns a row, such as an `INSERT` with `RETURNING`.
    func changed<each Value: PostgreSQLValue, Result>(
        _ sql: StaticString, _ values: repeat each Value, row: (PostgreSQLRow) throws -> Result
    ) throws -> Result? {
        let types = try bind(repeat each values)
        try send(sql, types: types, isWrite: true)
        guard let result = try receive(), result.rowCount > 0 else { return nil }
        return try row(result.row(0))
    }

    /// The first row of a query; `nil` if there is none.
    func first<each Value: PostgreSQLValue, Result>(
        _ sql: StaticString, _ values: repeat each Value, row: (PostgreSQLRow) throws -> Result
    ) throws -> Result? {
        let types = try bind(repeat each values)
        guard let result = try query(sql, types), result.rowCount > 0 else { return nil }
        return try row(result.row(0))
    }

    /// Calls `row` for each row of a query until it returns `false`. All rows are in memory, so the query has to limit them.
    ///
    /// - Returns: The number of rows passed; `nil` if `row` returned `false`.
    @discardableResult
    func each<each Value: PostgreSQLValue>(
        _ sql: StaticString, _ values: repeat each Value, row: (PostgreSQLRow) throws -> Bool
    ) throws -> Int? {
        let types = try bind(repeat each values)
        guard let result = try query(sql, types) else { return 0 }
        for index in 0..<result.rowCount {
            guard try row(result.row(index)) else { return nil }
        }
        return Int(result.rowCount)
    }

    /// All rows of a query.
    func all<each Value: PostgreSQLValue, Result>(
        _ sql: StaticString, _ values: repeat each Value, row: (PostgreSQLRow) throws -> Result
    ) throws -> [Result] {
        let types = try bind(repeat each values)
        guard let result = try query(sql, types) else { return [] }
        return try (0..<result.rowCount).map { try row(result.row($0)) }
    }

    private func query(_ sql: StaticString, _ types: [UInt32]) throws -> PostgreSQLResult? {
        try send(sql, types: types, isWrite: false)
        return try receive()
    }

    private func bind<each Value: PostgreSQLValue>(_ value: repeat each Value) throws -> [UInt32] {
        try sendRows()
        return types(binding: repeat each value)
    }

    private func types<each Value: PostgreSQLValue>(binding value: repeat each Value) -> [UInt32] {
        values.removeAll()
        var types: [UInt32] = []
        for value in repeat each value {
            value.append(to: &values)
            types.append(type(of: value).typeID)
        }
        return types
    }
}

extension PostgreSQLConnection {
    /// Reads up to `limit` rows page by page, so that memory is bounded, and calls a page's rows until one of them ends the read.
    ///
    /// - Parameters:
    ///   - first: The rows of the first page. Later pages are larger: most readers want few rows, and some want all.
    ///   - page: Reads at most the given number of rows behind the last one, and returns what ``each(_:_:row:)`` returns.
    static func pages(limit: Int, first: Int = 128, most: Int = 2_048, _ page: (Int) throws -> Int?) throws {
        var (left, size) = (limit, first)
        while left > 0 {
            let count = min(left, size)
            guard let found = try page(count), found == count else { return }
            left -= found
            size = min(size * 4, most)
        }
    }
}
