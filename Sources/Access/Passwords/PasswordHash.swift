import CCrypt

/// What is kept of a password: the text says by which function and with which cost it was made.
///
/// `$scrypt$ln=15,r=8,p=1$SALT$HASH` (base64 without padding) is ours; `$2a$…`, `$2b$…` and `$2y$…` are bcrypt's, as Sync Gateway keeps them.
public struct PasswordHash: Hashable, Sendable {
    public let text: String

    /// A hash as it is kept.
    public init(_ text: String) {
        self.text = text
    }

    /// Hashes a password. Takes a tenth of a second on purpose: use ``PasswordChecker`` where others wait for the thread.
    public init(of password: String, cost: ScryptCost = .standard) throws {
        text = try Scrypt(hashing: password, cost: cost).text
    }

    /// Whether the password is this one. Slow on purpose.
    func matches(_ password: String) throws -> Bool {
        if let scrypt = Scrypt(text) { return try scrypt.matches(password) }
        if let bcrypt = Bcrypt(text) { return bcrypt.matches(password) }
        return false
    }

    /// Whether it should be made anew at the next login: it is another function's, or of another cost.
    func isOutdated(_ cost: ScryptCost) -> Bool {
        Scrypt(text)?.cost != cost
    }

    /// Whether it is one that can be checked.
    public var isUsable: Bool { Scrypt(text) != nil || Bcrypt(text) != nil }
}

extension PasswordHash: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows nothing, so that no log can.
    public var description: String { "PasswordHash(hidden)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Hashes that Sync Gateway has made: `$2a$10$` and 53 characters.
struct Bcrypt {
    /// Each step doubles the work. Sync Gateway's own is 10; a hash beyond this one would hold a worker for seconds.
    private static let maximumCost = 14

    private let text: String

    /// Reads a hash; `nil` if it is of another function, malformed, or too dear.
    init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].isEmpty, ["2a", "2b", "2y"].contains(String(decoding: parts[1], as: UTF8.self)),
            parts[2].count == 2, let cost = Int(String(decoding: parts[2], as: UTF8.self)), (4...Self.maximumCost).contains(cost),
            parts[3].count == 53, parts[3].allSatisfy(Self.isDigit)
        else { return nil }
        self.text = text
    }

    /// Whether this is the password, in a time that does not depend on where the hashes differ.
    func matches(_ password: String) -> Bool {
        // What follows a zero would not be looked at.
        guard !password.utf8.contains(0) else { return false }
        let area = UnsafeMutableRawPointer.allocate(byteCount: dualgauge_crypt_size(), alignment: 16)
        area.initializeMemory(as: UInt8.self, repeating: 0, count: dualgauge_crypt_size())
        defer {
            // It holds what the password was made into.
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
