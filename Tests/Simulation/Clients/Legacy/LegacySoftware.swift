/// Which Couchbase Lite of 1.x a client is: they differ in how they follow the feed.
enum LegacySoftware: String, Sendable, CaseIterable {
    /// For Java and Android: pages of the feed, and `last_seq` for a checkpoint.
    case java
    /// For iOS, continuously: a checkpoint is a row's `seq`, and goes back as a number.
    case iOS
    /// The same on devices whose `NSInteger` has 32 bits: a number that does not fit stays at its largest value (CBLMisc.m, `CBLParseInteger`).
    case smallIOS

    /// A checkpoint as the options of a feed have it: a number where it looks like one, and a string otherwise.
    func since(_ checkpoint: String) -> String {
        guard let number = Int64(checkpoint), number >= 0 else { return "\"\(checkpoint)\"" }
        return self == .smallIOS ? "\(min(number, Int64(Int32.max)))" : checkpoint
    }
}
