package import Access
import CCrypt

extension PasswordHash {
    /// Hashes a password. Deliberately takes 0.1 s: use ``PasswordChecker`` on threads that must not block.
    package init(of password: String, cost: ScryptCost = .standard) throws {
        self.init(try Scrypt(hashing: password, cost: cost).text)
    }

    /// Whether the password matches. Deliberately slow.
    func matches(_ password: String) throws -> Bool {
        if let scrypt = Scrypt(text) { return try scrypt.matches(password) }
        if let bcrypt = Bcrypt(text) { return bcrypt.matches(password) }
        return false
    }

    /// Whether the next login should replace it: its function or cost is not the current one.
    func isOutdated(_ cost: ScryptCost) -> Bool {
        Scrypt(text)?.cost != cost
    }

    /// Whether the hash has a supported format.
    package var isUsable: Bool { Scrypt(text) != nil || Bcrypt(text) != nil }
}

/// Sync Gateway's hashes: `$2a$10$` and 53 characters.
struct Bcrypt {
    /// The limit of the logarithmic cost. Sync Gateway uses 10; a hash above this limit would occupy a worker for seconds.
    private static let maximumCost = 14

    private let text: String

    /// Parses a hash; `nil` if it is malformed, uses another function, or costs too much.
    init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].isEmpty, ["2a", "2b", "2y"].contains(String(decoding: parts[1], as: UTF8.self)),
            parts[2].count == 2, let cost = Int(String(decoding: parts[2], as: UTF8.self)), (4...Self.maximumCost).contains(cost),
            parts[3].count == 53, parts[3].allSatisfy(Self.isDigit)
        else { return nil }
        self.text = text
    }

    /// Whether the password matches. The comparison of the hashes takes constant time.
    func matches(_ password: String) -> Bool {
        // bcrypt ignores bytes after a zero byte.
        guard !password.utf8.contains(0) else { return false }
        let area = UnsafeMutableRawPointer.allocate(byteCount: dualgauge_crypt_size(), alignment: 16)
        area.initializeMemory(as: UInt8.self, repeating: 0, count: dualgauge_crypt_size())
        defer {
            // Clears data derived from the password.
            area.initializeMemory(as: UInt8.self, repeating: 0, count: dualgauge_crypt_size())
            area.deallocate()
        }
        guard let result = dualgauge_crypt(password, text, area) else { return false }
        return ConstantTime.equal(Array(String(cString: result).utf8), Array(text.utf8))
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: ".")...UInt8(ascii: "9"): true
        default: false
        }
    }
}
