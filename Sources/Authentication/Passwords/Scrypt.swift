import Crypto
import CryptoExtras
import Foundation

/// Our own hashes: `$scrypt$ln=15,r=8,p=1$SALT$HASH`.
struct Scrypt {
    private static let prefix = "$scrypt$"
    private static let saltLength = 16
    private static let keyLength = 32

    let cost: ScryptCost
    private let salt: [UInt8]
    private let key: [UInt8]

    /// Hashes a password with a random salt.
    init(hashing password: String, cost: ScryptCost) throws {
        var generator = SystemRandomNumberGenerator()
        let salt = (0..<Self.saltLength).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        self.cost = cost
        self.salt = salt
        key = try Self.derive(password, salt: salt, cost: cost, length: Self.keyLength)
    }

    /// A decoy for unknown users: its check takes as long as any other, and no password matches.
    init(decoyAt cost: ScryptCost) {
        self.cost = cost
        salt = Array(repeating: 0, count: Self.saltLength)
        key = Array(repeating: 0, count: Self.keyLength)
    }

    /// Parses a hash; `nil` if it is malformed, uses another function, or costs more than any hash of this program.
    init?(_ text: String) {
        guard text.hasPrefix(Self.prefix) else { return nil }
        let parts = text.dropFirst(Self.prefix.count).split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 3, let cost = Self.cost(parts[0]), let salt = Self.decode(parts[1]), let key = Self.decode(parts[2]),
            (1...64).contains(salt.count), (16...64).contains(key.count)
        else { return nil }
        self.cost = cost
        self.salt = salt
        self.key = key
    }

    var text: String {
        "\(Self.prefix)ln=\(cost.logarithm),r=\(cost.blockSize),p=\(cost.parallelism)$\(Self.encode(salt))$\(Self.encode(key))"
    }

    /// Whether the password matches. The comparison of the hashes takes constant time.
    func matches(_ password: String) throws -> Bool {
        ConstantTime.equal(key, try Self.derive(password, salt: salt, cost: cost, length: key.count))
    }

    static func derive(_ password: String, salt: [UInt8], cost: ScryptCost, length: Int) throws -> [UInt8] {
        let key = try KDF.Scrypt.deriveKey(
            from: Array(password.utf8), salt: salt, outputByteCount: length, rounds: 1 << cost.logarithm, blockSize: cost.blockSize,
            parallelism: cost.parallelism)
        return key.withUnsafeBytes { Array($0) }
    }

    private static func cost(_ text: Substring) -> ScryptCost? {
        var values: [Substring: Int] = [:]
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", omittingEmptySubsequences: false)
            guard pair.count == 2, let value = Int(pair[1]), values.updateValue(value, forKey: pair[0]) == nil else { return nil }
        }
        guard values.count == 3, let logarithm = values["ln"], let blockSize = values["r"], let parallelism = values["p"] else {
            return nil
        }
        return ScryptCost(checking: logarithm, blockSize: blockSize, parallelism: parallelism)
    }

    private static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().filter { $0 != "=" }
    }

    private static func decode(_ text: Substring) -> [UInt8]? {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: text + padding).map { Array($0) }
    }
}

/// The cost of a password check (RFC 7914).
package struct ScryptCost: Hashable, Sendable {
    /// N, as a power of two.
    package let logarithm: Int
    /// r
    package let blockSize: Int
    /// p
    package let parallelism: Int

    /// 32 MiB, and about 0.1 s of one core.
    package static let standard = ScryptCost(logarithm: 15, blockSize: 8, parallelism: 1)

    /// The configurable costs, as powers of two: from a few milliseconds to twice the standard cost.
    package static let configurable = 10...16

    /// - Parameter logarithm: N, as a power of two; a value of ``configurable``.
    package static func configured(_ logarithm: Int) -> ScryptCost {
        ScryptCost(logarithm: logarithm, blockSize: standard.blockSize, parallelism: standard.parallelism)
    }

    /// - Returns: `nil` if the cost exceeds this program's limit: 64 MiB, or 16 times the standard work.
    package init?(checking logarithm: Int, blockSize: Int, parallelism: Int) {
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
