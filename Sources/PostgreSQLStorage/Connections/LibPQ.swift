import CPostgreSQL
import Foundation

/// Calls of libpq with C strings and arrays of addresses.
enum LibPQ {
    /// Connects, and blocks meanwhile. Returns `nil` if there is no memory.
    static func connect(_ parameters: [(name: String, value: String)]) -> OpaquePointer? {
        var names: [UnsafeMutablePointer<CChar>?] = parameters.map { strdup($0.name) }
        var values: [UnsafeMutablePointer<CChar>?] = parameters.map { strdup($0.value) }
        defer { for text in names + values { free(text) } }
        names.append(nil)
        values.append(nil)
        let (constantNames, constantValues) = (names.map { UnsafePointer($0) }, values.map { UnsafePointer($0) })
        return PQconnectdbParams(constantNames, constantValues, 0)
    }

    /// Sends an execution of a prepared statement, with binary values and results.
    static func send(_ connection: OpaquePointer, _ statement: String, _ values: StatementValues) -> Bool {
        values.bytes.withUnsafeBytes { bytes in
            // A value without an address is null, so an empty one needs the address of something.
            withUnsafePointer(to: 0 as CChar) { nothing in
                let base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? nothing
                let addresses: [UnsafePointer<CChar>?] = values.spans.map { span in span.map { base + $0.lowerBound } }
                let lengths = values.spans.map { Int32(clamping: $0?.count ?? 0) }
                let formats = [Int32](repeating: 1, count: values.spans.count)
                return PQsendQueryPrepared(connection, statement, Int32(values.spans.count), addresses, lengths, formats, 1) == 1
            }
        }
    }

    /// libpq's message of the last failure, in one line.
    static func message(_ connection: OpaquePointer) -> String {
        let text = String(cString: PQerrorMessage(connection)).trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isEmpty ? "no message" : text.split(whereSeparator: \.isNewline).joined(separator: "; ")
    }
}
