import BridgeConfiguration
import Documents
import Foundation
import Logging

/// One line of the log: time, level, domain, message and metadata.
struct LogLine: Sendable {
    let level: Logger.Level
    let domain: LogDomain?
    let message: String
    let metadata: Logger.Metadata
    var time = Date()

    /// The metadata keys with user data: names, IDs, addresses, and error texts, which may quote them.
    private static let userData: Set<String> = ["address", "document", "error", "path", "user"]

    /// The line without a line break.
    func rendered(_ format: LogSettings.Format, _ redaction: LogSettings.Redaction, digest: (String) -> String) -> String {
        let fields = metadata.sorted { $0.key < $1.key }.map { name, value in
            (name: name, text: "\(value)", isUserData: Self.userData.contains(name))
        }
        switch format {
        case .text:
            var line = "\(Self.rfc3339(time)) \(level)"
            if let domain { line += " [\(domain.rawValue)]" }
            line += " \(Self.escaped(message))"
            for field in fields {
                line += " \(field.name)="
                line += field.isUserData ? redaction.shown(field.text, digest: digest, quoted: Self.quoted) : Self.quoted(field.text)
            }
            return line
        case .json:
            var members = [JSONMember("time", .string(Self.rfc3339(time))), JSONMember("level", .string(level.rawValue))]
            if let domain { members.append(JSONMember("domain", .string(domain.rawValue))) }
            members.append(JSONMember("message", .string(message)))
            members += fields.map { field in
                let name = Self.ownMembers.contains(field.name) ? "\(field.name)_" : field.name
                return JSONMember(name, .string(field.isUserData ? redaction.shown(field.text, digest: digest) { $0 } : field.text))
            }
            var bytes: [UInt8] = []
            JSONValue.object(members).append(to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// A time in UTC, with milliseconds and zone.
    static func rfc3339(_ time: Date) -> String {
        time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// The members of every line. Metadata with such a key gets another key.
    private static let ownMembers: Set<String> = ["time", "level", "domain", "message"]

    private static func quoted(_ text: String) -> String {
        let escaped = escaped(text)
        guard escaped.isEmpty || escaped.utf8.contains(where: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\"") }) else {
            return escaped
        }
        return "\"\(escaped.replacing("\"", with: "\\\""))\""
    }

    /// Escapes control characters, so that logged text cannot forge a line.
    private static func escaped(_ text: String) -> String {
        func isControl(_ scalar: Unicode.Scalar) -> Bool {
            scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value) || scalar.value == 0x2028 || scalar.value == 0x2029
        }
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.map { isControl($0) ? "\\u{\(String($0.value, radix: 16))}" : String($0) }.joined()
    }
}

extension LogSettings.Redaction {
    /// User data as the log shows it.
    ///
    /// - Parameter quoted: quotes the text for the log's format.
    fileprivate func shown(_ text: String, digest: (String) -> String, quoted: (String) -> String) -> String {
        switch self {
        case .none: quoted(text)
        // The tags are reliable, because the text between them cannot contain one.
        case .marked: "<ud>\(quoted(text.replacing("<", with: "\u{2039}")))</ud>"
        case .full: "<ud>#\(digest(text))</ud>"
        }
    }
}
