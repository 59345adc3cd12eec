import Documents

/// A place in the legacy upstream's changes feed, as upstream writes it.
///
/// Sync Gateway's are numbers and compounds of numbers: `S`, `T:S` (older documents of a channel that was granted at T), `L::S` and `L:T:S` (up to
/// L nothing is missing). They order themselves. All others are opaque: CouchDB's `12-g1AAAA…`, Cloudant's `[12,"g1AAAA…"]`.
public struct UpstreamSequence: Hashable, Sendable {
    enum Form: Hashable, Sendable {
        /// - Parameters:
        ///   - reached: Whoever has read up to here has every document up to this number.
        ///   - ordinal: Whoever has reached this number has the row that stands here.
        case number(reached: Int64, ordinal: Int64)

        /// - Parameter count: The number that it begins with, 0 if it has none. CouchDB counts up with each change.
        case token(digest: [UInt8], count: Int64)
    }

    let form: Form

    /// T of `T:S`: of the channels that were granted with it, its client is being given the older documents, up to S.
    private let trigger: Int64?

    /// - Parameter text: As it stands in a checkpoint: a string's text, other values' JSON.
    public init(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        let numbers = parts.map { Self.number($0) }
        var granted: Int64?
        switch (numbers.count, numbers.first ?? nil, numbers.last ?? nil) {
        case (1, let sequence?, _):
            form = .number(reached: sequence, ordinal: sequence)
        case (2, let trigger?, let sequence?):
            form = .number(reached: min(max(trigger - 1, 0), sequence), ordinal: max(trigger, sequence))
            granted = trigger
        case (3, let low?, let sequence?) where parts[1].isEmpty:
            form = .number(reached: min(low, sequence), ordinal: max(low, sequence))
        case (3, let low?, let sequence?) where numbers[1] != nil:
            let trigger = numbers[1] ?? 0
            form = .number(reached: min(low, max(trigger - 1, 0), sequence), ordinal: max(low, trigger, sequence))
        default:
            let digits = text.utf8.drop { $0 == UInt8(ascii: "[") }.prefix { 0x30...0x39 ~= $0 }
            form = .token(digest: AttachmentDigest.sha1(of: text.utf8).bytes, count: Self.number(digits) ?? 0)
        }
        trigger = granted
    }

    /// Up to which number a client there has every document; `nil` for opaque texts.
    public var reached: Int64? {
        if case .number(let reached, _) = form { reached } else { nil }
    }

    /// The highest number that it names; 0 for opaque texts.
    var highest: Int64 {
        if case .number(_, let ordinal) = form { ordinal } else { 0 }
    }

    /// Up to which number of a grant a client there has been given the documents of its channel, as far as ``reached``; `nil` for opaque texts.
    public var granted: Int64? { trigger ?? reached }

    /// The name under which it is kept what a device there had seen.
    var name: String {
        switch form {
        case .number(let reached, let ordinal): "\(reached):\(ordinal)\(trigger == nil ? "" : ":t")"
        case .token(let digest, _): Base64.encode(digest)
        }
    }

    /// Between which names those of all places are up to which a client has the same.
    static func names(reaching number: Int64) -> (first: String, end: String) { ("\(number):", "\(number);") }

    /// Whether it is the place before all rows.
    var isStart: Bool {
        if case .number(reached: 0, ordinal: _) = form { true } else { false }
    }

    var isOpaque: Bool {
        if case .token = form { true } else { false }
    }

    private static func number(_ digits: some Collection<UInt8>) -> Int64? {
        guard !digits.isEmpty, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return Int64(String(decoding: digits, as: UTF8.self))
    }
}
