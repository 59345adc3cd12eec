import Foundation
import Yams

/// Parses YAML into nodes. A duplicate key in a mapping does not stop the parser; it is reported with the other errors.
enum ConfigurationDocument {
    /// The most duplicate keys that are reported with their positions; one more stops the parser.
    private static let maximumTwice = 100

    /// - Throws: ``ConfigurationError`` if the text is not YAML.
    static func root(_ source: ConfigurationSource, text: String, findings: ConfigurationFindings) throws -> ConfigurationNode {
        func malformed(_ code: ConfigurationError.Code, _ position: TextPosition?, _ message: String) -> ConfigurationError {
            let place = ConfigurationPlace(file: source.file, line: position?.line, column: position?.column)
            return ConfigurationError(code, at: "", in: place, message)
        }
        var marked = MarkedText(source.lines)
        for _ in 0...maximumTwice {
            do {
                guard let node = try Yams.compose(yaml: marked.insertions.isEmpty ? text : marked.text) else {
                    throw malformed(.malformed, TextPosition(line: 1, column: 1), "the file is empty")
                }
                return ConfigurationNode(node: node, path: "", source: source, findings: findings, insertions: marked.insertions)
            } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
                guard marked.insert(at: TextPosition(context.mark)) else {
                    throw malformed(.duplicateKey, TextPosition(context.mark), "a mapping has `\(keys.first ?? "")` twice; keep one")
                }
            } catch let error as YamlError {
                let (position, problem) = error.described
                throw malformed(.malformed, position.map(marked.insertions.original), "this is not YAML: \(problem)")
            }
        }
        throw malformed(.duplicateKey, nil, "more than \(maximumTwice) keys appear twice in one mapping")
    }

    /// Reads a file's text.
    ///
    /// - Throws: ``ConfigurationError`` if the file cannot be read or is not UTF-8.
    static func text(of path: String) throws -> String {
        let place = ConfigurationPlace(file: path)
        let bytes: [UInt8]
        do {
            bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw ConfigurationError(.unreadable, at: "", in: place, "the file cannot be read; check the path and its permissions")
        }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        let valid = validLength(bytes)
        let line = bytes[..<valid].count { $0 == UInt8(ascii: "\n") } + 1
        let lineStart = bytes[..<valid].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let column = String(decoding: bytes[lineStart..<valid], as: UTF8.self).unicodeScalars.count + 1
        throw ConfigurationError(
            .malformed, at: "", in: ConfigurationPlace(file: path, line: line, column: column),
            "byte \(valid + 1) of the file (0x\(String(bytes[valid], radix: 16))) is not UTF-8; save the file as UTF-8")
    }

    /// The length in bytes of the valid UTF-8 before the first error.
    private static func validLength(_ bytes: [UInt8]) -> Int {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var length = 0
        while case .scalarValue(let scalar) = decoder.decode(&iterator) { length += UTF8.width(scalar) }
        return min(length, bytes.count - 1)
    }
}

extension YamlError {
    /// The position and the description of the YAML error.
    fileprivate var described: (position: TextPosition?, problem: String) {
        switch self {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            return (TextPosition(mark), context.map { "\($0.text) in line \($0.mark.line): \(problem)" } ?? problem)
        case .reader(let problem, let offset, _, let yaml):
            guard let offset else { return (nil, problem) }
            let before = yaml.prefix(offset)
            let line = before.split(separator: "\n", omittingEmptySubsequences: false).last ?? ""
            return (TextPosition(line: before.count { $0.isNewline } + 1, column: line.unicodeScalars.count + 1), problem)
        default: return (nil, "\(self)")
        }
    }
}

/// The text of a configuration.
struct ConfigurationSource: Sendable {
    /// The file's name; `nil` for a text without a file.
    let file: String?

    /// The lines, without their terminators.
    let lines: [[Unicode.Scalar]]

    /// The variables for `${NAME}`.
    let environment: [String: String]

    init(_ text: String, file: String?, environment: [String: String]) {
        self.file = file
        self.environment = environment
        // YAML's line ends: a single carriage return ends a line, and so does one with a line feed after it.
        var lines: [[Unicode.Scalar]] = [[]]
        var previous: Unicode.Scalar = " "
        for scalar in text.unicodeScalars {
            if scalar == "\n", previous == "\r" {
                // The carriage return has ended the line.
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
