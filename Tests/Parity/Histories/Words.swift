/// The words of a line of a history: flags, and `key=value`.
///
/// Histories are text, so that a failure can be read, stored and run again. No word contains a space.
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

/// A text that is not a valid part of a history.
struct HistoryTextError: Error, CustomStringConvertible {
    let line: String

    var description: String { "This is no line of a history: \(line)" }
}
