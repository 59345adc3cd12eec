/// Counts wrong passwords by user and address. A value without a clock: the caller says what time it is.
struct LoginLimiter {
    private enum Key: Hashable {
        case pair(user: [UInt8], address: String)
        case user([UInt8])
        case address(String)
    }

    private struct Level {
        var tokens: Double
        /// In milliseconds, by a clock that never goes back.
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

    /// Takes a token of each bucket before a password is checked, so that many at once cannot pass together.
    ///
    /// - Returns: After how many seconds another try is worth it; `nil` if this one may go on.
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

    /// Gives the tokens back: the password was right, or was not checked.
    mutating func giveBack(user: String, address: String, now: Int64) {
        for (key, bucket) in buckets(user, address) where levels[key] != nil {
            var level = level(key, bucket, now)
            level.tokens += 1
            levels[key] = level.tokens < bucket.capacity ? level : nil
        }
    }

    /// Users are told apart by the bytes of their names, not by how they look.
    private func buckets(_ user: String, _ address: String) -> [(Key, LoginLimits.Bucket)] {
        let name = Array(user.utf8.prefix(256))
        return [(.pair(user: name, address: address), limits.pair), (.user(name), limits.user), (.address(address), limits.address)]
    }

    private func level(_ key: Key, _ bucket: LoginLimits.Bucket, _ now: Int64) -> Level {
        guard let level = levels[key] else { return Level(tokens: bucket.capacity, time: now) }
        let seconds = Double(max(0, now - level.time)) / 1000
        return Level(tokens: min(bucket.capacity, level.tokens + seconds * bucket.tokensPerSecond), time: now)
    }

    /// When the table is full, forgets the buckets that were used longest ago: an eighth at once, so that this is rare.
    private mutating func makeRoom(_ now: Int64) {
        guard levels.count >= capacity else { return }
        let times = levels.values.map(\.time).sorted()
        let limit = times[times.count / 8]
        levels = levels.filter { $0.value.time > limit }
    }
}

/// How many wrong passwords are taken before the next is refused unseen.
public struct LoginLimits: Hashable, Sendable {
    /// A bucket of tokens: a wrong password takes one, and they come back with time.
    public struct Bucket: Hashable, Sendable {
        public var capacity: Double
        public var tokensPerSecond: Double

        public init(capacity: Double, tokensPerSecond: Double) {
            self.capacity = capacity
            self.tokensPerSecond = tokensPerSecond
        }
    }

    /// Of one user from one address. Old clients open a dozen connections at once, all with the same password.
    public var pair = Bucket(capacity: 30, tokensPerSecond: 0.1)

    /// Of one user from anywhere: many machines that guess together. It is wide, because who fills it shuts the user's new logins out.
    public var user = Bucket(capacity: 200, tokensPerSecond: 1)

    /// Of one address for any users. A proxy is one address.
    public var address = Bucket(capacity: 300, tokensPerSecond: 3)

    public init() {}
}
