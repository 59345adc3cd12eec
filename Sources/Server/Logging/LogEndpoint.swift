import BridgeConfiguration
import Documents
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import Logging
import ReplicationService

/// `/_logging` on the admin port: the log settings, which can be changed while the bridge runs.
///
/// `GET` shows the settings together with Sync Gateway's keys, which are true for domains that log more than warnings. `PUT` and `POST`
/// accept both forms: `{"level":"debug","domains":{"HTTP":"info"},"redaction":"full"}`, and `{"HTTP":true,"Auth":false}`. A `PUT` of keys
/// turns off the keys that it does not name, as in Sync Gateway.
struct LogEndpoint: Sendable {
    let control: LogControl

    private static let bodySize = 64 << 10

    func change(by request: Request) async -> Response {
        do {
            let body = try await request.decompressed(maximumSize: Self.bodySize).bytes(upTo: Self.bodySize)
            try change(by: JSONValue(body, maximumDepth: 4), replacesKeys: request.method == .put)
            return describe()
        } catch let error as RequestError {
            return error.response
        } catch let error as AdminError {
            return ServerAnswer.error(.badRequest, "Bad Request", error.reason)
        } catch {
            return ServerAnswer.error(.badRequest, "Bad Request", "Bad JSON: an object with log settings is expected")
        }
    }

    func describe() -> Response {
        let settings = control.settings
        var members = [
            JSONMember("level", .string(settings.level.rawValue)), JSONMember("redaction", .string(settings.redaction.rawValue)),
            JSONMember("format", .string(settings.format.rawValue)),
            JSONMember(
                "domains", .object(LogDomain.allCases.map { JSONMember($0.rawValue, .string(settings.level(of: $0).rawValue)) })),
        ]
        for domain in LogDomain.allCases {
            members.append(JSONMember(domain.rawValue, .bool(settings.level(of: domain) <= .info)))
        }
        var bytes: [UInt8] = []
        JSONValue.object(members).append(to: &bytes)
        return ServerAnswer.json(.ok, bytes)
    }

    private func change(by json: JSONValue, replacesKeys: Bool) throws {
        guard let members = json.members else { throw AdminError(.badRequest, "expected an object with log settings") }
        var changed = control.settings
        if replacesKeys, members.contains(where: { $0.value.bool != nil }) {
            for domain in LogDomain.allCases { changed.domains[domain] = .warning }
        }
        for member in members {
            switch member.key {
            case "level": changed.level = try Self.level(member.value)
            case "redaction":
                guard let redaction = member.value.string.flatMap({ LogSettings.Redaction(rawValue: $0) }) else {
                    throw AdminError(.badRequest, "redaction has to be none, marked or full")
                }
                changed.redaction = redaction
            case "format":
                guard let format = member.value.string.flatMap({ LogSettings.Format(rawValue: $0) }) else {
                    throw AdminError(.badRequest, "format has to be text or json")
                }
                changed.format = format
            case "domains":
                for domain in member.value.members ?? [] { changed.domains[try Self.domain(domain.key)] = try Self.level(domain.value) }
            default:
                guard let isOn = member.value.bool else { throw AdminError(.badRequest, "\(member.key) has to be true or false") }
                // Sync Gateway has keys for parts that do not exist here.
                if let domain = LogDomain(rawValue: member.key) { changed.domains[domain] = isOn ? .info : .warning }
            }
        }
        control.settings = changed
    }

    private static func domain(_ name: String) throws -> LogDomain {
        guard let domain = LogDomain(rawValue: name) else {
            throw AdminError(
                .badRequest, "\(name) is not a domain; the domains are \(LogDomain.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return domain
    }

    private static func level(_ value: JSONValue) throws -> Logger.Level {
        guard let level = value.string.flatMap({ Logger.Level(rawValue: $0) }) else {
            throw AdminError(.badRequest, "a level has to be one of \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return level
    }
}
