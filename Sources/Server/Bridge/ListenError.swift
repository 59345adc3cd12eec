/// A port that cannot be listened at.
public struct ListenError: Error, Sendable, CustomStringConvertible {
    public let address: ListenAddress
    public let cause: any Error

    /// What happened, where, and what to do.
    public var message: String {
        "cannot listen at \(address): \(cause). Stop what uses the port, or give another address under `listen`"
    }

    public var description: String { message }
}
