/// A file that is no configuration of Sync Gateway.
public struct GatewayImportError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, where, and what to do.
    public let message: String

    init(_ message: String) {
        self.message = message
    }

    public var description: String { message }
}
