/// A sequence of Sync Gateway, parsed for comparison: `S`, `T:S`, `L:T:S`, `L::S` (docs/protocol/modern-2x.md#sequences).
struct RemoteSequence: Comparable {
    let sequence: UInt64
    let trigger: UInt64?
    let low: UInt64?

    /// - Returns: `nil` if the JSON text has none of these forms.
    init?(_ json: String) {
        var text = json[...]
        if text.utf8.count >= 2, text.first == "\"", text.last == "\"" { text = text.dropFirst().dropLast() }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard 1...3 ~= parts.count, let sequence = parts.last.flatMap({ UInt64($0) }) else { return nil }
        var trigger: UInt64?, low: UInt64?
        if parts.count == 2 {
            guard let number = UInt64(parts[0]) else { return nil }
            trigger = number
        } else if parts.count == 3 {
            guard let number = UInt64(parts[0]) else { return nil }
            low = number
            if !parts[1].isEmpty {
                guard let number = UInt64(parts[1]) else { return nil }
                trigger = number
            }
        }
        self.sequence = sequence
        self.trigger = trigger
        self.low = low
    }

    private var withoutLow: RemoteSequence { RemoteSequence(sequence: sequence, trigger: trigger, low: nil) }

    private init(sequence: UInt64, trigger: UInt64?, low: UInt64?) {
        self.sequence = sequence
        self.trigger = trigger
        self.low = low
    }

    static func < (a: RemoteSequence, b: RemoteSequence) -> Bool {
        switch (a.low, b.low) {
        case (let x?, let y?): return x == y ? a.withoutLow < b.withoutLow : x < y
        case (let x?, nil): return x < (b.trigger ?? b.sequence)
        case (nil, let y?): return (a.trigger ?? a.sequence) <= y
        case (nil, nil): break
        }
        switch (a.trigger, b.trigger) {
        case (nil, nil): return a.sequence < b.sequence
        case (nil, let y?): return a.sequence < y
        case (let x?, nil): return x <= b.sequence
        case (let x?, let y?): return x == y ? a.sequence < b.sequence : x < y
        }
    }
}
