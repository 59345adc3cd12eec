import Foundation
import Synchronization

/// Checks passwords against hashes, off the threads that others need, and bounds how often somebody can guess.
public final class PasswordVerifier: Sendable {
    /// The longest password, in bytes. Hashing has to read all of it.
    public static let maximumLength = 1024

    let cost: ScryptCost
    private let clock: AccessClock
    private let queue: PasswordQueue
    private let limiter: Mutex<LoginLimiter>
    private let cache: Mutex<LoginCache>
    private let keys = LoginKeys()

    /// The hash for a name that nobody has, so that its check takes as long as that of a wrong password.
    private let nobody: PasswordHash

    /// - Parameters:
    ///   - width: how many passwords are checked at a time.
    ///   - cacheTime: how long a right password is remembered, in milliseconds.
    public init(
        clock: AccessClock = .system, cost: ScryptCost = .standard, limits: LoginLimits = LoginLimits(),
        width: Int = defaultWidth,
        cacheCapacity: Int = 20_000, cacheTime: Int64 = 3_600_000
    ) {
        self.clock = clock
        self.cost = cost
        queue = PasswordQueue(width: width, limit: 200)
        limiter = Mutex(LoginLimiter(limits: limits))
        cache = Mutex(LoginCache(capacity: cacheCapacity, timeToLive: cacheTime))
        nobody = PasswordHash(Scrypt(nobodyAt: cost).text)
    }

    /// Hashes a new password.
    ///
    /// - Parameter old: The hash that is kept if the password is the same.
    /// - Throws: ``AccessError`` `badRequest` for an empty or too long password, `busy`.
    public func hash(_ password: String, replacing old: PasswordHash? = nil) async throws -> PasswordHash {
        guard !password.isEmpty else { throw AccessError(.badRequest, "Empty passwords are not allowed ") }
        guard password.utf8.count <= Self.maximumLength else {
            throw AccessError(.badRequest, "A password can have at most \(Self.maximumLength) bytes")
        }
        return try await queue.run { [cost] in
            if let old, try old.matches(password) { return old }
            return try PasswordHash(of: password, cost: cost)
        }
    }

    /// How many passwords are checked at a time where nothing else is said: each check takes a core, and memory.
    public static var defaultWidth: Int { min(8, max(2, ProcessInfo.processInfo.activeProcessorCount / 2)) }

    /// Checks a password.
    ///
    /// - Parameters:
    ///   - hash: the hash of the user of this name; `nil` if nobody of this name may log in.
    ///   - decoy: the hash that is checked in place of `nil`; without it one of this verifier's cost.
    ///   - address: the caller's address, for the limits on wrong passwords.
    /// - Returns: whether the password was hashed and compared now, and not merely remembered as right.
    /// - Throws: ``AccessError`` `invalidLogin`, `tooManyAttempts`, `busy`.
    @discardableResult
    public func verify(
        name: String, password: String, against hash: PasswordHash?, decoy: PasswordHash? = nil, address: String
    ) async throws -> Bool {
        let key = keys.key(name: name, password: password)
        if let hash, isRemembered(key, hash) { return false }
        if let wait = limiter.withLock({ $0.begin(user: name, address: address, now: clock.uptime()) }) {
            throw AccessError(.tooManyAttempts, "Too many wrong passwords: try again in \(wait) seconds", retryAfter: wait)
        }
        let answer: Answer
        do {
            answer = try await check(password, hash, decoy ?? nobody, key)
        } catch {
            giveBack(name, address)
            throw error
        }
        guard answer != .wrong else { throw AccessError(.invalidLogin, "Invalid login") }
        giveBack(name, address)
        return answer == .right
    }

    private enum Answer {
        case wrong
        case right
        /// Another check has just found it right.
        case known
    }

    /// Takes a password for right as long as the user has this hash.
    func remember(name: String, password: String, for hash: PasswordHash) {
        let key = keys.key(name: name, password: password)
        cache.withLock { $0.insert(key, for: hash, now: clock.uptime()) }
    }

    private func check(_ password: String, _ hash: PasswordHash?, _ decoy: PasswordHash, _ key: [UInt8]) async throws -> Answer {
        let isTooLong = password.utf8.count > Self.maximumLength
        // A client that begins with many connections is checked once: the others wait for the first.
        return try await queue.run(by: key) { [self] in
            if let hash, isRemembered(key, hash) { return .known }
            guard try (hash ?? decoy).matches(isTooLong ? "" : password), let hash, !isTooLong else { return .wrong }
            cache.withLock { $0.insert(key, for: hash, now: clock.uptime()) }
            return .right
        }
    }

    private func isRemembered(_ key: [UInt8], _ hash: PasswordHash) -> Bool {
        cache.withLock { $0.contains(key, for: hash, now: clock.uptime()) }
    }

    private func giveBack(_ name: String, _ address: String) {
        limiter.withLock { $0.giveBack(user: name, address: address, now: clock.uptime()) }
    }
}
