/// Any transport that carries bytes in their order, supplied by the application.
public protocol ByteStream: Sendable {
    /// Waits for bytes, and takes some of those that have arrived.
    ///
    /// - Returns: `nil` once the peer has closed.
    /// - Throws: If the transport breaks, or the task is cancelled.
    func read() async throws -> [UInt8]?

    /// Sends bytes, and returns when there is room for more.
    func write(_ bytes: [UInt8]) async throws

    /// Ends the transport; `read` returns or throws then.
    func close() async
}
