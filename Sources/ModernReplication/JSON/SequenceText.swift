import Gateway
import Storage

/// Reads where a client wants its pull to begin: the JSON text of a sequence (docs/protocol/modern-2x.md#sequences).
enum SequenceText {
    /// The last sequence that the client certainly has everything up to.
    ///
    /// Ours are plain numbers, and `T:S` with such a T, which mean what they say. A client that comes over from Sync Gateway may have a composite one, `T:S` for a revision that came when
    /// access was granted at T, `L:T:S` and `L::S` while sequences behind L were missing. All that is certain is what lies before T and up to L.
    ///
    /// - Parameter origin: Where ours begin.
    /// - Returns: `nil` if it is no sequence.
    static func parse(_ text: String, origin: Sequence) -> FeedPosition? {
        var text = text[...]
        if text.count >= 2, text.first == "\"", text.last == "\"" { text = text.dropFirst().dropLast() }
        guard !text.isEmpty, text != "null" else { return .zero }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        switch parts.count {
        case 1: return number(parts[0]).map { FeedPosition(Sequence($0)) }
        case 2:
            guard let trigger = number(parts[0]), let sequence = number(parts[1]) else { return nil }
            guard trigger < origin.value else { return FeedPosition(Sequence(sequence), trigger: Sequence(trigger)) }
            return FeedPosition(Sequence(max(trigger - 1, 0)))
        case 3:
            guard let low = number(parts[0]), number(parts[2]) != nil else { return nil }
            guard !parts[1].isEmpty else { return FeedPosition(Sequence(low)) }
            guard let trigger = number(parts[1]) else { return nil }
            return FeedPosition(Sequence(max(min(low, trigger - 1), 0)))
        default: return nil
        }
    }

    private static func number(_ text: Substring) -> Int64? {
        guard let number = Int64(text), number >= 0 else { return nil }
        return number
    }
}
