import Documents

/// A position in the legacy upstream's changes feed, as upstream writes it.
///
/// Sync Gateway's positions are numbers and compounds of numbers, which are ordered:
///
/// - `S`;
/// - `T:S`: the backfill of a channel that was granted at T;
/// - `L::S` and `L:T:S`: complete up to L.
///
/// All others are opaque: CouchDB's `12-g1AAAA…`, Cloudant's `[12,"g1AAAA…"]`.
package struct UpstreamSequence: Hashable, Sendable {
    enum Form: Hashable, Sendable {
        /// - Parameters:
        ///   - reached: A client at this position has every document up to this number.
        ///   - ordinal: A client that has reached this number has the row at this position.
        case number(reached: Int64, ordinal: Int64)

        /// - Parameter count: The number at the start, 0 if there is none. CouchDB increments it with each change.
        case token(digest: [UInt8], count: Int64)
    }

    /// The position as upstream wrote it.
    package let text: String

    let form: Form

    /// T of `T:S`: the client is receiving the older documents of the channels granted at T, up to S.
    private let trigger: Int64?

    /// - Parameter text: As in a checkpoint: the contents of a string, or the JSON of another value.
    package init(_ text: String) {
        self.text = text
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

    /// The number up to which a client at this position has every document; `nil` for opaque texts.
    package var reached: Int64? {
        if case .number(let reached, _) = form { reached } else { nil }
    }

    /// The highest number in the text; 0 for opaque texts.
    var highest: Int64 {
        if case .number(_, let ordinal) = form { ordinal } else { 0 }
    }

    /// The latest grant whose channel's documents a client at this position has received, as far as ``reached``; `nil` for opaque texts.
    package var granted: Int64? { trigger ?? reached }

    /// The key of the record of what a device at this position had read.
    var name: String {
        switch form {
        case .number(let reached, let ordinal): "\(reached):\(ordinal)\(trigger == nil ? "" : ":t")"
        case .token(let digest, _): Base64.encode(digest)
        }
    }

    /// The range of keys of all positions with the same `reached`.
    static func names(reaching number: Int64) -> (first: String, end: String) { ("\(number):", "\(number);") }

    /// Whether this is the position before all rows.
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
