/// Which assertions have been accepted, so that one that was stolen cannot be used later.
struct SeenAssertions {
    /// More than these are not remembered; the first to end are forgotten.
    static let maximumCount = 10_000

    private var firstUses: [[UInt8]: (time: Int64, expires: Int64)] = [:]

    /// Notes a use.
    ///
    /// - Returns: whether it is the first, or near enough to the first.
    mutating func use(_ digest: [UInt8], expires: Int64, reuse: Int64, now: Int64) -> Bool {
        if let first = firstUses[digest] { return now - first.time <= reuse }
        if firstUses.count >= Self.maximumCount { makeRoom(now) }
        firstUses[digest] = (now, expires)
        return true
    }

    private mutating func makeRoom(_ now: Int64) {
        firstUses = firstUses.filter { $0.value.expires > now }
        guard firstUses.count >= Self.maximumCount else { return }
        for (digest, _) in firstUses.sorted(by: { $0.value.expires < $1.value.expires }).prefix(Self.maximumCount / 10) {
            firstUses[digest] = nil
        }
    }
}
