/// The keys of an issuer, and when to ask for them again. Does not ask itself.
struct KeyCache {
    /// What to do about a token.
    enum Answer {
        /// One of these keys has to have signed it.
        case keys([SigningKey])
        /// The issuer has to be asked; if that fails these will still do.
        case fetch(fallback: [SigningKey])
        /// The issuer has no such key, as it said a moment ago.
        case unknown
        /// The issuer failed to answer a moment ago.
        case unavailable
    }

    /// In seconds. From this age on, keys are asked for again, so that one that was withdrawn is noticed.
    static let refreshAge: Int64 = 3600
    /// From this age on, keys are not used while the issuer does not answer.
    static let maximumAge: Int64 = 24 * 3600
    /// Between two questions at the least, so that tokens with invented key IDs do not make us ask for each.
    static let interval: Int64 = 30
    /// The same after a failure.
    static let retryInterval: Int64 = 5

    private var keys: [SigningKey] = []
    private var fetched: Int64?
    private var lastAttempt: Int64?
    private var hasFailed = false

    /// - Parameter now: in seconds, by a clock that never goes back.
    func answer(keyID: String?, algorithm: SignatureAlgorithm, now: Int64) -> Answer {
        let mayAsk = lastAttempt.map { now - $0 >= (hasFailed ? Self.retryInterval : Self.interval) } ?? true
        guard let fetched else { return mayAsk ? .fetch(fallback: []) : .unavailable }
        let matching = keys.filter { $0.algorithm == algorithm && (keyID == nil || $0.keyID == keyID) }
        guard !matching.isEmpty else { return mayAsk ? .fetch(fallback: []) : hasFailed ? .unavailable : .unknown }
        switch now - fetched {
        case ..<Self.refreshAge: return .keys(matching)
        case ..<Self.maximumAge: return mayAsk ? .fetch(fallback: matching) : .keys(matching)
        default: return mayAsk ? .fetch(fallback: []) : .unavailable
        }
    }

    mutating func succeeded(with keys: [SigningKey], now: Int64) {
        self.keys = keys
        fetched = now
        lastAttempt = now
        hasFailed = false
    }

    mutating func failed(now: Int64) {
        lastAttempt = now
        hasFailed = true
    }
}
