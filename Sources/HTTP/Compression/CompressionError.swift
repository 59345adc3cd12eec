/// A stream that cannot be compressed or decompressed.
public struct CompressionError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public struct Code: Sendable, Hashable {
        private enum Base {
            case corrupt, truncated, tooLarge, outOfMemory
        }

        private let base: Base

        /// The bytes are not what they should be.
        public static let corrupt = Self(base: .corrupt)
        /// The stream stops before its end.
        public static let truncated = Self(base: .truncated)
        /// The stream holds more than the limit.
        public static let tooLarge = Self(base: .tooLarge)
        /// There is no memory for another stream.
        public static let outOfMemory = Self(base: .outOfMemory)
    }

    public let code: Code
    public let reason: String

    public init(_ code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { reason }
}
