import Crypto

/// Remembers which passwords were right, without keeping them: a fleet that sends the same Basic credentials with every request
/// pays for the check once.
///
/// An entry stands under a key of ``LoginKeys``. It counts only while the user's hash is
/// the one that the password was checked against, so that a new password ends it without anybody's help; whether the user is there and enabled is
/// looked up at every request.
struct LoginCache {
    private struct Entry {
        let hash: PasswordHash
        /// Milliseconds since 1970.
        let expires: Int64
    }

    private let timeToLive: Int64
    private var entries: BoundedCache<[UInt8], Entry>

    init(capacity: Int, timeToLive: Int64) {
        self.timeToLive = timeToLive
        entries = BoundedCache(capacity: capacity)
    }

    func contains(_ key: [UInt8], for hash: PasswordHash, now: Int64) -> Bool {
        guard let entry = entries[key] else { return false }
        return entry.hash == hash && now < entry.expires
    }

    mutating func insert(_ key: [UInt8], for hash: PasswordHash, now: Int64) {
        entries.insert(Entry(hash: hash, expires: now + timeToLive), for: key)
    }
}

/// Makes keys of logins: HMACs of name and password under a key that this process alone knows.
struct LoginKeys: Sendable {
    private let secret = SymmetricKey(size: .bits256)

    func key(name: String, password: String) -> [UInt8] {
        // The length keeps name and password apart.
        let message = Array("\(name.utf8.count):".utf8) + Array(name.utf8) + Array(password.utf8)
        return Array(HMAC<SHA256>.authenticationCode(for: message, using: secret))
    }
}
