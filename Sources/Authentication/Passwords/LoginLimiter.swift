/// Limits wrong passwords by user and address. The caller passes the time.
struct LoginLimiter {
    private enum Key: Hashable {
        case pair(user: [UInt8], address: String)
        case user([UInt8])
        case address(String)
    }

    private struct Level {
        var tokens: Double
        /// In milliseconds of a monotonic clock.
        var time: Int64
    }

    private let limits: LoginLimits
    private let capacity: Int
    private var levels: [Key: Level] = [:]

    init(limits: LoginLimits, capacity: Int = 20_000) {
        self.limits = limits
        self.capacity = capacity
    }

    var count: Int { levels.count }

    /// Takes a token from each bucket before a password is checked, so that concurrent attempts cannot pass together.
    ///
    /// - Returns: The number of seconds after which to retry; `nil` if the attempt may proceed.
    mutating func begin(user: String, address: String, now: Int64) -> Int? {
        let buckets = buckets(user, address)
        let wait = buckets.map { key, bucket in max(0, 1 - level(key, bucket, now).tokens) / bucket.tokensPerSecond }.max() ?? 0
        guard wait <= 0 else { return max(1, Int(wait.rounded(.up))) }
        for (key, bucket) in buckets {
            var level = level(key, bucket, now)
            level.tokens -= 1
            makeRoom(now)
            levels[key] = level
        }
        return nil
    }

    /// Returns the tokens: the password was right, or was not checked.
    mutating func returnTokens(user: String, address: String, now: Int64) {
        for (key, bucket) in buckets(user, address) where levels[key] != nil {
            var level = level(key, bucket, now)
            level.tokens += 1
            levels[key] = level.tokens < bucket.capacity ? level : nil
        }
    }

    /// Users are distinguished by the bytes of their names.
    private func buckets(_ user: String, _ address: String) -> [(Key, LoginLimits.Bucket)] {
        let name = Array(user.utf8.prefix(256))
        return [(.pair(user: name, address: address), limits.pair), (.user(name), limits.user), (.address(address), limits.address)]
    }

    private func level(_ key: Key, _ bucket: LoginLimits.Bucket, _ now: Int64) -> Level {
        guard let level = levels[key] else { return Level(tokens: bucket.capacity, time: now) }
        let seconds = Double(max(0, now - level.time)) / 1000
        return Level(tokens: min(bucket.capacity, level.tokens + seconds * bucket.tokensPerSecond), time: now)
    }

    /// Removes the least recently used eighth of the buckets when the table is full. Removing many at once makes this rare.
    private mutating func makeRoom(_ now: Int64) {
        guard levels.count >= capacity else { return }
        let times = levels.values.map(\.time).sorted()
        let limit = times[times.count / 8]
        levels = levels.filter { $0.value.time > limit }
    }
}

/// The limits of wrong passwords, above which further attempts are refused without a check.
package struct LoginLimits: Hashable, Sendable {
    /// A token bucket: a wrong password takes a token, and tokens refill over time.
    package struct Bucket: Hashable, Sendable {
        package var capacity: Double
        package var tokensPerSecond: Double

        package init(capacity: Double, tokensPerSecond: Double) {
            self.capacity = capacity
            self.tokensPerSecond = tokensPerSecond
        }
    }

    /// The limit for one user from one address. Old clients open a dozen connections at once, all with the same password.
    package var pair = Bucket(capacity: 30, tokensPerSecond: 0.1)

    /// The limit for one user from all addresses, against distributed guessing. It is high, because an attacker who exhausts it blocks the user's
    /// new logins.
    package var user = Bucket(capacity: 200, tokensPerSecond: 1)

    /// The limit for one address and all users. A proxy counts as one address.
    package var address = Bucket(capacity: 300, tokensPerSecond: 3)

    package init() {}
}
