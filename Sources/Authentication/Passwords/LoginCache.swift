import Access
import Crypto

/// Caches successful password checks without storing passwords: clients that send the same Basic credentials with every request cost one check.
///
/// The key of an entry is a key of ``LoginKeys``. An entry is valid only while the user's hash is the one that the password was checked against, so
/// a new password invalidates it. Whether the user exists and is enabled is checked at every request.
struct LoginCache {
    private struct Entry {
        let hash: PasswordHash
        /// In milliseconds of a monotonic clock.
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

/// Derives keys of logins: HMACs of name and password with a secret of this process.
struct LoginKeys: Sendable {
    private let secret = SymmetricKey(size: .bits256)

    func key(name: String, password: String) -> [UInt8] {
        // The length makes the boundary between name and password unambiguous.
        let message = Array("\(name.utf8.count):".utf8) + Array(name.utf8) + Array(password.utf8)
        return Array(HMAC<SHA256>.authenticationCode(for: message, using: secret))
    }
}
