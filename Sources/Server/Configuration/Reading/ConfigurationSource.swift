/// The text that a configuration is read from.
struct ConfigurationSource: Sendable {
    /// The file's name; `nil` for a text that is no file.
    let file: String?

    /// The lines, without their ends.
    let lines: [[Unicode.Scalar]]

    /// Where `${NAME}` is looked up.
    let environment: [String: String]

    init(_ text: String, file: String?, environment: [String: String]) {
        self.file = file
        self.environment = environment
        // YAML's line ends: a carriage return alone is one, and so is one with a line feed behind it.
        var lines: [[Unicode.Scalar]] = [[]]
        var previous: Unicode.Scalar = " "
        for scalar in text.unicodeScalars {
            if scalar == "\n", previous == "\r" {
                // Ended already.
            } else if ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"].contains(scalar) {
                lines.append([])
            } else {
                lines[lines.count - 1].append(scalar)
            }
            previous = scalar
        }
        self.lines = lines
    }
}
