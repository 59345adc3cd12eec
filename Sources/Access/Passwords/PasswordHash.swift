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
