public import Storage
import Synchronization

/// Checks names and passwords of one database.
public final class PasswordChecker: Sendable {
    /// The longest password, in bytes. Hashing has to read all of it.
    static let maximumLength = 1024

    private let store: any Store
    private let clock: AccessClock
    private let cost: ScryptCost
    private let queue: PasswordQueue
    private let limiter: Mutex<LoginLimiter>
    private let cache: Mutex<LoginCache>

    /// What the password of someone who is not there is checked against, so that his absence takes as long as a wrong password.
    private let nobody: PasswordHash

    public init(
        store: any Store, clock: AccessClock = .system, cost: ScryptCost = .standard, limits: LoginLimits = LoginLimits(), width: Int = 2,
        cacheCapacity: Int = 20_000, cacheTime: Int64 = 3_600_000
    ) {
        self.store = store
        self.clock = clock
        self.cost = cost
        queue = PasswordQueue(width: width, limit: 200)
        limiter = Mutex(LoginLimiter(limits: limits))
        cache = Mutex(LoginCache(capacity: cacheCapacity, timeToLive: cacheTime))
        nobody = PasswordHash(Scrypt(nobodyAt: cost).text)
    }

    /// Hashes a new password, off the threads that others need.
    ///
    /// - Throws: ``AccessError`` `badRequest` for an empty or too long password, `busy`.
    public func hash(_ password: String) async throws -> PasswordHash {
        guard !password.isEmpty else { throw AccessError(.badRequest, "Empty passwords are not allowed ") }
        guard password.utf8.count <= Self.maximumLength else {
            throw AccessError(.badRequest, "A password can have at most \(Self.maximumLength) bytes")
        }
        return try await queue.run { [cost] in try PasswordHash(of: password, cost: cost) }
    }

    /// The user of this name and password.
    ///
    /// - Parameter address: where the caller is, for the limits on wrong passwords.
    /// - Throws: ``AccessError`` `invalidLogin`, `tooManyAttempts`, `busy`. Else what the store throws.
    public func login(name: String, password: String, address: String) async throws -> User {
        let user = try await Accounts(store).user(name).flatMap { $0.isGuest ? nil : $0 }
        let hash = user?.passwordHash
        let key = cache.withLock { $0.key(name: name, password: password) }
        if let user, !user.isDisabled, let hash, isRemembered(key, hash) { return user }
        if let wait = limiter.withLock({ $0.begin(user: name, address: address, now: clock.now()) }) {
            throw AccessError(.tooManyAttempts, "Too many wrong passwords: try again in \(wait) seconds", retryAfter: wait)
        }
        let isRight: Bool
        do {
            isRight = try await check(password, hash, key)
        } catch {
            giveBack(name, address)
            throw error
        }
        guard isRight, let user, !user.isDisabled, let hash else { throw AccessError(.invalidLogin, "Invalid login") }
        giveBack(name, address)
        cache.withLock { $0.insert(key, for: hash, now: clock.now()) }
        return hash.isOutdated(cost) ? await upgrade(user, password, key) : user
    }

    private func check(_ password: String, _ hash: PasswordHash?, _ key: [UInt8]) async throws -> Bool {
        let isTooLong = password.utf8.count > Self.maximumLength
        return try await queue.run { [self] in
            // Another connection of the same client may have been faster.
            if let hash, isRemembered(key, hash) { return true }
            let isRight = try (hash ?? nobody).matches(isTooLong ? "" : password)
            return isRight && hash != nil && !isTooLong
        }
    }

    /// Makes the hash anew with our function and cost. If it cannot be done now, the next login will try.
    private func upgrade(_ user: User, _ password: String, _ key: [UInt8]) async -> User {
        guard let new = try? await queue.run({ [cost] in try PasswordHash(of: password, cost: cost) }) else { return user }
        let upgraded = try? await store.write { transaction -> User? in
            guard let record = try transaction.principal(.user(user.name)) else { return nil }
            var current = try User(record)
            // A new password that came meanwhile stays.
            guard current.passwordHash == user.passwordHash else { return nil }
            current.passwordHash = new
            try transaction.setPrincipal(current.record(at: record.sequence))
            return current
        }
        guard let upgraded = upgraded.flatMap({ $0 }) else { return user }
        cache.withLock { $0.insert(key, for: new, now: clock.now()) }
        return upgraded
    }

    private func isRemembered(_ key: [UInt8], _ hash: PasswordHash) -> Bool {
        cache.withLock { $0.contains(key, for: hash, now: clock.now()) }
    }

    private func giveBack(_ name: String, _ address: String) {
        limiter.withLock { $0.giveBack(user: name, address: address, now: clock.now()) }
    }
}
