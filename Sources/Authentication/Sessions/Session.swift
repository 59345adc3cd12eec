package import Access
import Crypto
import Documents
import Storage

/// A session with its user and expiry.
package struct Session: Sendable {
    package let id: SessionID
    package let user: User

    /// Milliseconds since 1970.
    package let expires: Int64

    /// Whether this request has created or renewed the session, so that the reply has to set the cookie.
    package let isRenewed: Bool
}

extension SessionRecord {
    /// Whether the session is valid.
    func isValid(for user: User, now: Int64) -> Bool {
        now < expires && generation == user.sessionGeneration && !user.isDisabled && !user.isGuest
    }

    /// Whether the session has to be renewed: more than a tenth of its lifetime has passed since the last renewal, as in Sync Gateway. A session
    /// without a lifetime has a fixed end.
    func needsRenewal(now: Int64) -> Bool {
        let renewed = expires - timeToLive
        return now - renewed > timeToLive / 10
    }
}

/// The value of a session cookie: 160 random bits as 40 hex digits, Sync Gateway's form.
package struct SessionID: Hashable, Sendable {
    private static let length = 20

    package let text: String

    /// Creates a random ID.
    package init() {
        var generator = SystemRandomNumberGenerator()
        text = Hex.text((0..<Self.length).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// Wraps a client's value; `nil` if it cannot be an ID.
    package init?(_ text: String) {
        guard (1...256).contains(text.utf8.count) else { return nil }
        self.text = text
    }

    /// Wraps an internal ID without validation.
    init(unchecked text: String) {
        self.text = text
    }

    /// The store's key of the session.
    package var key: [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }
}

extension SessionID: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Hides the ID from logs.
    package var description: String { "SessionID(hidden)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
