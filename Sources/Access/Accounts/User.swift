import Documents
package import Storage

/// An account that can log in, with the properties that a login needs. Its access is in ``Rights``.
package struct User: Sendable {
    /// The account of clients without a login.
    package static let guestName = "GUEST"

    package let name: String
    package var email: String?
    package var isDisabled: Bool

    /// `nil` for users who cannot log in with a password.
    package var passwordHash: PasswordHash?

    /// Whether the legacy upstream may authenticate the user. True if upstream created him here or the configuration sets it, until his sessions
    /// are ended or his password is set here.
    package internal(set) var isOfUpstream = false

    /// Whether the channel `*` of the user's logins means that his server is a CouchDB without channels. `false` once an administrator has set his
    /// access; `nil` for users of other servers.
    var readsAll: Bool?

    /// Only sessions of this generation are valid. A random number, so that a user who is deleted and created again has a different one.
    package var sessionGeneration: Int64

    package init(name: String) {
        self.name = name
        isDisabled = false
        sessionGeneration = Self.newGeneration()
    }

    package var isGuest: Bool { name == Self.guestName }

    /// Ends all sessions, including those of the legacy upstream.
    package mutating func endSessions() {
        sessionGeneration = Self.newGeneration()
        isOfUpstream = false
    }

    private static func newGeneration() -> Int64 { .random(in: 1...(.max)) }
}

extension User {
    /// Decodes the stored record of a user.
    package init(_ record: PrincipalRecord) throws {
        name = record.grantee.name
        email = record.email
        do {
            let json = try JSONValue(record.record)
            isDisabled = json["disabled"]?.bool ?? false
            isOfUpstream = json["upstream"]?.bool ?? false
            readsAll = json["readsAll"]?.bool
            passwordHash = json["password"]?.string.map { PasswordHash($0) }
            sessionGeneration = json["generation"]?.int.map { Int64($0) } ?? 0
        } catch {
            throw AccessError(.damaged, "the record of \(record.grantee) is not JSON: run `dualgauge check` on the store", cause: error)
        }
    }

    /// The record to store.
    package func record(at sequence: SequenceNumber) -> PrincipalRecord {
        var members = [JSONMember("generation", .number(String(sessionGeneration)))]
        if isDisabled { members.append(JSONMember("disabled", .bool(true))) }
        if isOfUpstream { members.append(JSONMember("upstream", .bool(true))) }
        if let readsAll { members.append(JSONMember("readsAll", .bool(readsAll))) }
        if let passwordHash { members.append(JSONMember("password", .string(passwordHash.text))) }
        var bytes: [UInt8] = []
        JSONValue.object(members).append(to: &bytes)
        return PrincipalRecord(grantee: .user(name), email: email, sequence: sequence, record: bytes)
    }
}

/// A stored password hash. The text contains the function and its cost.
///
/// `$scrypt$ln=15,r=8,p=1$SALT$HASH` (base64 without padding) is ours; `$2a$…`, `$2b$…` and `$2y$…` are bcrypt hashes as Sync Gateway stores them.
package struct PasswordHash: Hashable, Sendable {
    package let text: String

    /// Wraps a stored hash.
    package init(_ text: String) {
        self.text = text
    }
}

extension PasswordHash: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Hides the hash from logs.
    package var description: String { "PasswordHash(hidden)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
