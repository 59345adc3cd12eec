/// What every token has to be before anybody is asked about it.
enum TokenText {
    /// The longest token that is looked at, in bytes.
    static let maximumLength = 16 * 1024

    /// Whether it is printable ASCII without blanks, so that it can stand in a header, and of a sensible length.
    static func isPlausible(_ token: Secret) -> Bool {
        let text = token.revealed.utf8
        return !text.isEmpty && text.count <= maximumLength && text.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    }
}
