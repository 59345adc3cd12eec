/// What zlib says when it cannot go on.
public struct ZlibError: Error, Sendable, CustomStringConvertible {
    /// zlib's status, such as -3 for data that is damaged.
    public let status: Int32
    public let description: String

    init(_ status: Int32, _ message: UnsafePointer<CChar>?) {
        self.status = status
        description = message.map { "zlib: \(String(cString: $0))" } ?? "zlib status \(status)"
    }
}
