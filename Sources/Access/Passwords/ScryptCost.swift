/// How much work a password's check is (RFC 7914).
public struct ScryptCost: Hashable, Sendable {
    /// N, as a power of two.
    public let logarithm: Int
    /// r
    public let blockSize: Int
    /// p
    public let parallelism: Int

    /// 32 MiB and about a tenth of a second of one core.
    public static let standard = ScryptCost(logarithm: 15, blockSize: 8, parallelism: 1)

    /// The costs that a configuration may ask for, as powers of two: from a few milliseconds to twice the standard one.
    public static let configurable = 10...16

    /// - Parameter logarithm: N, as a power of two; one of ``configurable``.
    public static func configured(_ logarithm: Int) -> ScryptCost {
        ScryptCost(logarithm: logarithm, blockSize: standard.blockSize, parallelism: standard.parallelism)
    }

    /// - Returns: `nil` if the cost is beyond what this program will ever pay: 64 MiB, or 16 times the standard work.
    public init?(checking logarithm: Int, blockSize: Int, parallelism: Int) {
        guard (1...20).contains(logarithm), (1...64).contains(blockSize), (1...16).contains(parallelism),
            (128 << logarithm) * blockSize <= 64 << 20, (parallelism * blockSize) << logarithm <= 16 << 18
        else { return nil }
        self.init(logarithm: logarithm, blockSize: blockSize, parallelism: parallelism)
    }

    init(logarithm: Int, blockSize: Int, parallelism: Int) {
        self.logarithm = logarithm
        self.blockSize = blockSize
        self.parallelism = parallelism
    }
}
