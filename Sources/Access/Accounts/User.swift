import Documents
import Storage

/// An account that can log in, as far as a login has to know it. What it may see is in ``Rights``.
public struct User: Sendable {
    /// The account of those who do not log in.
    public static let guestName = "GUEST"

    public let name: String
    public var email: String?
    public var isDisabled: Bool

    /// `nil` for those who cannot log in by a password.
    public var passwordHash: PasswordHash?

    /// Whether the legacy upstream may still vouch for him: it brought him here, or the configuration says so, and nobody has ended his sessions or set his password since.
    public internal(set) var isOfUpstream = false

    /// Whether the channel `*` that his logins give him stands for the lack of channels at a CouchDB; `false` once an administrator has said what he sees,
    /// `nil` for users of other servers.
    var readsAll: Bool?

    /// Sessions that began under another generation have ended. A random number, so that a user who is removed and created again has another.
    public var sessionGeneration: Int64

    public init(name: String) {
        self.name = name
        isDisabled = false
        sessionGeneration = Self.newGeneration()
    }

    public var isGuest: Bool { name == Self.guestName }

    /// Ends all sessions, those that the legacy upstream knows included.
    public mutating func endSessions() {
        sessionGeneration = Self.newGeneration()
        isOfUpstream = false
    }

    private static func newGeneration() -> Int64 { .random(in: 1...(.max)) }
}

extension User {
    /// Reads the store's record of a user.
    init(_ record: PrincipalRecord) throws {
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

    /// The store's record.
    func record(at sequence: SequenceNumber) -> PrincipalRecord {
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
