import CPostgreSQL
import Foundation

/// The floor of a PostgreSQL store: inserts the same rows into one table, by a prepared statement in libpq's pipeline mode, in transactions of 500.
struct PlainPipeline {
    /// A failure of libpq, in its words.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let connection: OpaquePointer

    private static let table = """
        CREATE TABLE plain_rows (sequence bigint PRIMARY KEY, id bytea NOT NULL UNIQUE, revision bytea NOT NULL, body bytea NOT NULL)
        """

    static func measure(_ rows: BenchmarkRows, url: String) throws -> Cost {
        guard let connection = PQconnectdb(url) else { throw Failure(description: "no memory") }
        defer { PQfinish(connection) }
        let plain = PlainPipeline(connection: connection)
        try plain.run("DROP TABLE IF EXISTS plain_rows")
        try plain.run(table)
        let insert = "INSERT INTO plain_rows (sequence, id, revision, body) VALUES ($1, $2, $3, $4)"
        PQclear(PQprepare(connection, "row", insert, 4, [20, 17, 17, 17]))
        let (before, start) = (clock(), ContinuousClock.now)
        var sequence: Int64 = 0
        for batch in rows.batches(500) {
            PQenterPipelineMode(connection)
            try plain.send("BEGIN")
            for row in batch {
                sequence += 1
                try plain.insert(sequence, Array(row.id.utf8), Array("1-\(row.digest)".utf8), Array("{\(row.body)}".utf8))
            }
            try plain.send("COMMIT")
            try plain.finish(batch.count + 2)
        }
        let cost = Cost(
            processor: Double(clock() - before) / Double(CLOCKS_PER_SEC), wall: start.duration(to: .now), documents: rows.rows.count)
        try plain.run("DROP TABLE plain_rows")
        return cost
    }

    private func run(_ sql: String) throws {
        let result = PQexec(connection, sql)
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw failure }
    }

    private func send(_ sql: String) throws {
        guard PQsendQueryParams(connection, sql, 0, nil, nil, nil, nil, 1) == 1 else { throw failure }
    }

    private func insert(_ sequence: Int64, _ id: [UInt8], _ revision: [UInt8], _ body: [UInt8]) throws {
        let number = withUnsafeBytes(of: sequence.bigEndian) { Array($0) }
        let isSent = [number, id, revision, body].withUnsafePointers { values in
            PQsendQueryPrepared(
                connection, "row", 4, values, [8, Int32(id.count), Int32(revision.count), Int32(body.count)], [1, 1, 1, 1], 1)
        }
        guard isSent == 1 else { throw failure }
    }

    /// Waits for the results of a number of statements, and leaves pipeline mode.
    private func finish(_ count: Int) throws {
        guard PQpipelineSync(connection) == 1 else { throw failure }
        for _ in 0..<count {
            while let result = PQgetResult(connection) {
                defer { PQclear(result) }
                guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw failure }
            }
        }
        PQclear(PQgetResult(connection))
        PQexitPipelineMode(connection)
    }

    private var failure: Failure { Failure(description: String(cString: PQerrorMessage(connection))) }
}

extension [[UInt8]] {
    /// Passes the addresses of the values.
    fileprivate func withUnsafePointers<Value>(_ body: ([UnsafePointer<CChar>?]) -> Value) -> Value {
        let bytes = Array<UInt8>(joined())
        return bytes.withUnsafeBytes { buffer in
            var offset = 0
            let addresses = map { value in
                defer { offset += value.count }
                return buffer.baseAddress.map { ($0 + offset).assumingMemoryBound(to: CChar.self) }
            }
            return body(addresses)
        }
    }
}
