import Crypto
import Storage

/// A login that lasts, with what its owner has to know of it.
public struct Session: Sendable {
    public let id: SessionID
    public let user: User

    /// Milliseconds since 1970.
    public let expires: Int64

    /// Whether this request has prolonged it, so that the client has to be told.
    public let isRenewed: Bool
}

extension SessionRecord {
    /// Whether it still lets its owner in.
    func isValid(for user: User, now: Int64) -> Bool {
        now < expires && generation == user.sessionGeneration && !user.isDisabled && !user.isGuest
    }

    /// Whether it is time to prolong it: more than a tenth of its time has passed since the last renewal, as in Sync Gateway. One without a time to
    /// live has a fixed end.
    func needsRenewal(now: Int64) -> Bool {
        let renewed = expires - timeToLive
        return now - renewed > timeToLive / 10
    }
}

/// What a session's cookie holds: 160 random bits as 40 hex digits, the form that Sync Gateway's have.
public struct SessionID: Hashable, Sendable {
    private static let length = 20

    public let text: String

    /// A new one, of the system's generator.
    public init() {
        var generator = SystemRandomNumberGenerator()
        text = (0..<Self.length).map { _ in Self.hex(UInt8.random(in: .min ... .max, using: &generator)) }.joined()
    }

    /// One that a client sent; `nil` if it cannot be one.
    public init?(_ text: String) {
        guard (1...256).contains(text.utf8.count) else { return nil }
        self.text = text
    }

    /// One of ours, whatever it looks like.
    init(kept text: String) {
        self.text = text
    }

    /// Under what the store keeps the session.
    public var key: [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }

    private static func hex(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return digits.utf8.count == 1 ? "0" + digits : digits
    }
}

extension SessionID: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows nothing, so that no log can.
    public var description: String { "SessionID(hidden)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
