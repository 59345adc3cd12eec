import BridgeConfiguration
import Documents
import Foundation
import HTTPTypes
import Logging

/// An entry of the audit log: a request to change something on the admin port, with its outcome. It contains no secret.
struct AuditEntry: Sendable {
    /// The placeholder for an unknown user or role.
    private static let unknown = "-"

    /// The longest logged name of a refused caller, in bytes.
    private static let nameLength = 256

    var time = Date()

    /// The name of an accepted or refused login.
    let user: String?
    let role: AdminRole?
    let address: String
    let method: String

    /// The path without secrets; see ``LoggedPath``.
    let path: String
    let status: Int

    /// The number of entries dropped before this one.
    var omitted = 0

    init(user: String?, role: AdminRole?, address: String, method: HTTPRequest.Method, target: String, status: Int) {
        self.user = user.map { String(decoding: $0.utf8.prefix(Self.nameLength), as: UTF8.self) }
        self.role = role
        self.address = address
        self.method = method.rawValue
        path = LoggedPath(target).text
        self.status = status
    }

    /// The entry as one JSON object.
    var json: [UInt8] {
        var members = [JSONMember("time", .string(LogLine.rfc3339(time)))]
        members += fields.map { JSONMember($0.name, .string($0.text)) }
        members.append(JSONMember("status", .number(String(status))))
        if omitted > 0 { members.append(JSONMember("omitted", .number(String(omitted)))) }
        var bytes: [UInt8] = []
        JSONValue.object(members).append(to: &bytes)
        return bytes
    }

    /// The entry as metadata of a log message, which has its own time.
    var metadata: Logger.Metadata {
        var metadata = Logger.Metadata(fields.map { ($0.name, "\($0.text)") }, uniquingKeysWith: { $1 })
        metadata["status"] = "\(status)"
        if omitted > 0 { metadata["omitted"] = "\(omitted)" }
        return metadata
    }

    private var fields: [(name: String, text: String)] {
        [
            ("user", user ?? Self.unknown), ("role", role?.rawValue ?? Self.unknown), ("address", address), ("method", method),
            ("path", path),
        ]
    }
}
