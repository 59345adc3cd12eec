import Documents

/// A YAML value to write. The output is readable and parses back to the same value.
indirect enum YAMLNode: Sendable {
    /// A keyword, number or Boolean that the import generates.
    case plain(String)
    /// A text from the imported configuration.
    case text(String)
    /// The value of an environment variable.
    case variable(String)
    case texts([String])
    case list([[YAMLEntry]])
    case mapping([YAMLEntry])

    /// The value as a document; it has to be a mapping.
    var rendered: String {
        guard case .mapping(let entries) = self else { return "" }
        return entries.map { $0.rendered(indent: 0) }.joined()
    }

    /// The environment variables that the value refers to.
    var variables: [String] {
        switch self {
        case .variable(let name): [name]
        case .list(let items): items.flatMap { $0.flatMap(\.value.variables) }
        case .mapping(let entries): entries.flatMap(\.value.variables)
        case .plain, .text, .texts: []
        }
    }

    static func comments(_ lines: [String], indent: Int = 0) -> String {
        let margin = String(repeating: " ", count: indent)
        return lines.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }.map { line in
            let safe = String(String.UnicodeScalarView(line.unicodeScalars.filter(isPrintable)))
            return safe.isEmpty ? "\(margin)#\n" : "\(margin)# \(safe)\n"
        }.joined()
    }

    /// The text after a key's colon.
    func value(indent: Int) -> String {
        switch self {
        case .plain(let word): return " \(word)\n"
        case .text(let text): return Self.isBlock(text) ? Self.block(text, indent: indent) : " \(Self.quoted(text))\n"
        case .variable(let name): return " \"${\(name)}\"\n"
        case .texts(let texts): return " [\(texts.map(Self.quoted).joined(separator: ", "))]\n"
        case .mapping(let entries):
            return entries.isEmpty ? " {}\n" : "\n" + entries.map { $0.rendered(indent: indent + 2) }.joined()
        case .list(let items):
            guard !items.isEmpty else { return " []\n" }
            let margin = String(repeating: " ", count: indent + 2)
            return "\n"
                + items.map { item in
                    let lines = item.map { $0.rendered(indent: indent + 4) }.joined()
                    return "\(margin)- " + lines.dropFirst(indent + 4)
                }.joined()
        }
    }

    /// A quoted text, in which `${` is escaped so that no variable is substituted.
    private static func quoted(_ text: String) -> String { json(escaped(text)) }

    /// A key. Variables in keys are not substituted.
    static func key(_ text: String) -> String {
        let isWord = text.utf8.allSatisfy { isLetter($0) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || "-_.".utf8.contains($0) }
        guard isWord, let first = text.utf8.first, isLetter(first), !notTexts.contains(text.lowercased()) else { return json(text) }
        return text
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }

    /// Words that YAML parses as other types.
    private static let notTexts: Set<String> = ["false", "n", "no", "null", "off", "on", "true", "y", "yes"]

    private static func json(_ text: String) -> String {
        var bytes: [UInt8] = []
        JSONWriter.append(text, to: &bytes)
        // A JSON string is a valid double-quoted YAML string, except that JSON allows unescaped DEL and C1 controls.
        return String(decoding: bytes, as: UTF8.self).unicodeScalars.reduce(into: "") { result, scalar in
            if scalar.value < 0x7f || isPrintable(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                let code = String(scalar.value, radix: 16)
                result += "\\U" + String(repeating: "0", count: 8 - code.count) + code
            }
        }
    }

    private static func escaped(_ text: String) -> String {
        guard text.contains("${") else { return text }
        return text.split(separator: "${", omittingEmptySubsequences: false).joined(separator: "$${")
    }

    /// Whether a text can be a block scalar, which keeps JavaScript readable.
    private static func isBlock(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, first != " ", first != "\n", first != "\t", !text.hasSuffix("\n"), text.contains("\n")
        else { return false }
        return text.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\t" || isPrintable($0) }
    }

    private static func block(_ text: String, indent: Int) -> String {
        let margin = String(repeating: " ", count: indent + 2)
        let lines = escaped(text).split(separator: "\n", omittingEmptySubsequences: false)
        return " |-\n" + lines.map { $0.isEmpty ? "\n" : "\(margin)\($0)\n" }.joined()
    }

    /// Whether YAML and a terminal show the character unescaped.
    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate: false
        default: true
        }
    }
}

/// A member of a mapping, with the comments above it.
struct YAMLEntry: Sendable {
    let key: String
    let value: YAMLNode
    let comments: [String]

    init(_ key: String, _ value: YAMLNode, comments: [String] = []) {
        self.key = key
        self.value = value
        self.comments = comments
    }

    func rendered(indent: Int) -> String {
        let margin = String(repeating: " ", count: indent)
        return YAMLNode.comments(comments, indent: indent) + "\(margin)\(YAMLNode.key(key)):\(value.value(indent: indent))"
    }
}

extension YAMLEntry {
    /// The error of the bridge's configuration parser for these entries; `nil` if it accepts them.
    static func refusal(of entries: [YAMLEntry], by read: (ConfigurationNode) throws -> Void) -> String? {
        guard !entries.isEmpty else { return nil }
        do {
            let root = YAMLNode.mapping(entries)
            let environment = Dictionary(root.variables.map { ($0, "x") }) { first, _ in first }
            try ConfigurationFile.content(of: root.rendered, environment: environment, read)
            return nil
        } catch let error as ConfigurationError {
            return error.findings.map(\.message).joined(separator: "; ")
        } catch {
            return "\(error)"
        }
    }
}
