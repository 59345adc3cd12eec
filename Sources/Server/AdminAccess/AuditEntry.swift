import BridgeConfiguration
import Documents
import Foundation
import HTTPTypes
import Logging

/// A line of the audit log: who wanted to change something on the admin port, and what came of it. It has no secret in it.
struct AuditEntry: Sendable {
    /// What stands where nobody is known.
    private static let unknown = "-"

    /// The longest name of somebody who was not let in, in bytes.
    private static let nameLength = 256

    var time = Date()

    /// Who logged in, or tried to.
    let user: String?
    let role: AdminRole?
    let address: String
    let method: String

    /// Without what may be secret; see ``LoggedPath``.
    let path: String
    let status: Int

    /// How many lines were left out before this one.
    var omitted = 0

    init(user: String?, role: AdminRole?, address: String, method: HTTPRequest.Method, target: String, status: Int) {
        self.user = user.map { String(decoding: $0.utf8.prefix(Self.nameLength), as: UTF8.self) }
        self.role = role
        self.address = address
        self.method = method.rawValue
        path = LoggedPath(target).text
        self.status = status
    }

    /// One JSON object.
    var json: [UInt8] {
        var members = [JSONMember("time", .string(LogLine.rfc3339(time)))]
        members += fields.map { JSONMember($0.name, .string($0.text)) }
        members.append(JSONMember("status", .number(String(status))))
        if omitted > 0 { members.append(JSONMember("omitted", .number(String(omitted)))) }
        var bytes: [UInt8] = []
        JSONValue.object(members).append(to: &bytes)
        return bytes
    }

    /// The same for the log, which has a time of its own.
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
