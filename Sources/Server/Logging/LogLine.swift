import Foundation
import Logging

/// One line of the log: time, level, domain, message, and what goes with it by name.
struct LogLine: Sendable {
    let level: Logger.Level
    let domain: LogDomain?
    let message: String
    let metadata: Logger.Metadata
    var time = Date()

    /// What belongs to users wherever it stands: names, IDs, addresses, and errors' texts, which may quote them.
    private static let userData: Set<String> = ["address", "document", "error", "path", "user"]

    func rendered(_ redaction: LogSettings.Redaction, digest: (String) -> String) -> String {
        var line = "\(time.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true))) \(level)"
        if let domain { line += " [\(domain.rawValue)]" }
        line += " \(Self.escaped(message))"
        for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
            let text = "\(value)"
            line += " \(name)="
            guard Self.userData.contains(name) else {
                line += Self.quoted(text)
                continue
            }
            switch redaction {
            case .none: line += Self.quoted(text)
            // The marks can be relied upon: nothing between them looks like one.
            case .marked: line += "<ud>\(Self.quoted(text.replacing("<", with: "\u{2039}")))</ud>"
            case .full: line += "<ud>#\(digest(text))</ud>"
            }
        }
        return line
    }

    private static func quoted(_ text: String) -> String {
        let escaped = escaped(text)
        guard escaped.isEmpty || escaped.utf8.contains(where: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\"") }) else {
            return escaped
        }
        return "\"\(escaped.replacing("\"", with: "\\\""))\""
    }

    /// Without control characters: nobody can make a line of his own.
    private static func escaped(_ text: String) -> String {
        func isControl(_ scalar: Unicode.Scalar) -> Bool {
            scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value) || scalar.value == 0x2028 || scalar.value == 0x2029
        }
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.map { isControl($0) ? "\\u{\(String($0.value, radix: 16))}" : String($0) }.joined()
    }
}
