/// A line of a history as words: some stand for themselves, some are `key=value`.
///
/// Histories are text, so that a failure can be read, kept and run again. No word of theirs holds a space.
struct Words {
    private(set) var plain: [String] = []
    private(set) var values: [String: String] = [:]

    init(_ text: String) {
        for word in text.split(separator: " ") {
            guard let sign = word.firstIndex(of: "=") else {
                plain.append(String(word))
                continue
            }
            values[String(word[..<sign])] = String(word[word.index(after: sign)...])
        }
    }

    func has(_ word: String) -> Bool { plain.contains(word) }

    /// The names of a list such as `channels=a,b`; empty for `channels=`, `nil` where the key is not there.
    func list(_ key: String) -> [String]? {
        values[key].map { $0.split(separator: ",").map(String.init) }
    }
}

/// Text that cannot be read as a part of a history.
struct HistoryTextError: Error, CustomStringConvertible {
    let line: String

    var description: String { "This is no line of a history: \(line)" }
}
