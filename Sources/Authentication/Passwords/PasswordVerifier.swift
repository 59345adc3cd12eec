package import Access
import Coordination
import Foundation

/// Checks passwords against hashes on separate threads, and limits the rate of guesses.
package final class PasswordVerifier: Sendable {
    /// The maximum length of a password, in bytes, because hashing reads all of it.
    package static let maximumLength = 1024

    let cost: ScryptCost
    private let clock: AccessClock
    private let queue: PasswordQueue
    private let limiter: Lock<LoginLimiter>
    private let cache: Lock<LoginCache>
    private let keys = LoginKeys()

    /// The hash for unknown names, so that their check takes as long as that of a wrong password.
    private let defaultDecoy: PasswordHash

    /// - Parameters:
    ///   - width: The number of concurrent checks.
    ///   - cacheTime: The lifetime of a cached successful check, in milliseconds.
    package init(
        clock: AccessClock = .system, cost: ScryptCost = .standard, limits: LoginLimits = LoginLimits(),
        width: Int = defaultWidth,
        cacheCapacity: Int = 20_000, cacheTime: Int64 = 3_600_000
    ) {
        self.clock = clock
        self.cost = cost
        queue = PasswordQueue(width: width, limit: 200)
        limiter = Lock(LoginLimiter(limits: limits))
        cache = Lock(LoginCache(capacity: cacheCapacity, timeToLive: cacheTime))
        defaultDecoy = PasswordHash(Scrypt(decoyAt: cost).text)
    }

    /// Hashes a new password.
    ///
    /// - Parameter old: The current hash, which is returned if the password is the same.
    /// - Throws: ``AccessError`` `badRequest` for an empty or too long password, `busy`.
    package func hash(_ password: String, replacing old: PasswordHash? = nil) async throws -> PasswordHash {
        guard !password.isEmpty else { throw AccessError(.badRequest, "Empty passwords are not allowed ") }
        guard password.utf8.count <= Self.maximumLength else {
            throw AccessError(.badRequest, "A password can have at most \(Self.maximumLength) bytes")
        }
        return try await queue.run { [cost] in
            if let old, try old.matches(password) { return old }
            return try PasswordHash(of: password, cost: cost)
        }
    }

    /// The default number of concurrent checks. Each check takes a core, and memory.
    package static var defaultWidth: Int { min(8, max(2, ProcessInfo.processInfo.activeProcessorCount / 2)) }

    /// Checks a password.
    ///
    /// - Parameters:
    ///   - hash: The user's hash; `nil` if there is no user of this name who may log in.
    ///   - decoy: The hash that is checked if `hash` is `nil`. By default one of this verifier's cost.
    ///   - address: The client's address, for the limits on wrong passwords.
    /// - Returns: Whether this call hashed and compared the password, rather than used a cached check.
    /// - Throws: ``AccessError`` `invalidLogin`, `tooManyAttempts`, `busy`.
    @discardableResult
    package func verify(
        name: String, password: String, against hash: PasswordHash?, decoy: PasswordHash? = nil, address: String
    ) async throws -> Bool {
        let key = keys.key(name: name, password: password)
        if let hash, isRemembered(key, hash) { return false }
        if let wait = limiter.withLock({ $0.begin(user: name, address: address, now: clock.uptime()) }) {
            throw AccessError(.tooManyAttempts, "Too many wrong passwords: try again in \(wait) seconds", retryAfter: wait)
        }
        let answer: Answer
        do {
            answer = try await check(password, hash, decoy ?? defaultDecoy, key)
        } catch {
            returnTokens(name, address)
            throw error
        }
        guard answer != .wrong else { throw AccessError(.invalidLogin, "Invalid login") }
        returnTokens(name, address)
        return answer == .right
    }

    private enum Answer {
        case wrong
        case right
        /// A concurrent check has just succeeded.
        case known
    }

    /// Caches a password as right as long as the user has this hash.
    func remember(name: String, password: String, for hash: PasswordHash) {
        let key = keys.key(name: name, password: password)
        cache.withLock { $0.insert(key, for: hash, now: clock.uptime()) }
    }

    private func check(_ password: String, _ hash: PasswordHash?, _ decoy: PasswordHash, _ key: [UInt8]) async throws -> Answer {
        let isTooLong = password.utf8.count > Self.maximumLength
        // Of a client's concurrent connections, one runs the check; the others wait for its result.
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

    private func returnTokens(_ name: String, _ address: String) {
        limiter.withLock { $0.returnTokens(user: name, address: address, now: clock.uptime()) }
    }
}
