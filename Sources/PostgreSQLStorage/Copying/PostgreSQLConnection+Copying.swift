import CPostgreSQL
import Storage

/// `COPY`, for which the connection leaves the pipeline mode.
extension PostgreSQLConnection {
    /// The beginning of a stream in the binary format: its signature, the flags, and the length of an extension (PostgreSQL's manual, "COPY").
    private static let header: [UInt8] = Array("PGCOPY\n".utf8) + [0xff, 0x0d, 0x0a, 0] + [UInt8](repeating: 0, count: 8)
    private static let trailer: [UInt8] = [0xff, 0xff]

    /// Sends rows in the binary format, and waits for the result.
    ///
    /// - Parameters:
    ///   - sql: `COPY ... FROM STDIN`.
    ///   - rows: The rows without the format's beginning and end.
    func copyIn(_ sql: String, _ rows: [UInt8]) throws {
        try startCopy(sql, PGRES_COPY_IN)
        for part in [Self.header, rows, Self.trailer] { try put(part) }
        while true {
            let sent = PQputCopyEnd(handle, nil)
            guard sent >= 0 else { throw lost() }
            if sent == 1 { break }
            try drain()
        }
        try flush()
        try finishCopy()
    }

    private func put(_ bytes: [UInt8]) throws {
        var start = 0
        while start < bytes.count {
            // Small enough that libpq's buffer does not grow without bounds.
            let count = min(bytes.count - start, 256 << 10)
            let sent = bytes.withUnsafeBytes { buffer in
                PQputCopyData(handle, buffer.baseAddress?.advanced(by: start).assumingMemoryBound(to: CChar.self), Int32(count))
            }
            guard sent >= 0 else { throw lost() }
            if sent == 1 { start += count }
            try drain()
        }
    }

    /// Waits until libpq's buffer is sent.
    private func drain() throws {
        while true {
            switch PQflush(handle) {
            case 0: return
            case 1:
                try wait(isWriting: true)
                guard PQconsumeInput(handle) == 1 else { throw lost() }
            default: throw lost()
            }
        }
    }

    /// Begins to receive rows in the binary format.
    func startCopyOut(_ sql: String) throws { try startCopy(sql, PGRES_COPY_OUT) }

    /// Passes the next message of the stream: a row, which for the first row follows the format's beginning, or the format's end.
    ///
    /// - Returns: Whether there was a message. If not, the connection is in pipeline mode again.
    func nextCopied(_ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        var buffer: UnsafeMutablePointer<CChar>?
        while true {
            let count = PQgetCopyData(handle, &buffer, 1)
            switch count {
            case 0:
                try wait(isWriting: false)
                guard PQconsumeInput(handle) == 1 else { throw lost() }
            case -1:
                try finishCopy()
                return false
            case 1...:
                defer { PQfreemem(buffer) }
                try body(UnsafeRawBufferPointer(start: buffer, count: Int(count)))
                return true
            default: throw lost()
            }
        }
    }

    private func startCopy(_ sql: String, _ expected: ExecStatusType) throws {
        try receive()
        guard !isLost, PQexitPipelineMode(handle) == 1, PQsendQuery(handle, sql) == 1 else { throw lost() }
        try flush()
        guard let result = try nextResult() else { throw lost() }
        guard result.status != expected else { return }
        let refusal = ServerFailure(result, at: address)
        try finishCopy()
        throw refusal.error
    }

    /// Reads the results behind the rows, and enters the pipeline mode.
    private func finishCopy() throws {
        var refusal: ServerFailure?
        while let result = try nextResult() {
            if result.status != PGRES_COMMAND_OK, refusal == nil { refusal = ServerFailure(result, at: address) }
        }
        guard PQenterPipelineMode(handle) == 1 else { throw lost() }
        if let refusal { throw refusal.error }
    }
}
