import Access
import Authentication
import BridgeConfiguration
import Documents
import Gateway
import HTTPTypes
import HummingbirdCore
import ReplicationService
import Storage

/// The replies about logins and sessions.
enum SessionAnswer {
    /// The reply `{"authentication_handlers":["default","cookie"],"ok":true,"userCtx":{"channels":{…},"name":…}}`. Java clients hang
    /// without a `userCtx`.
    ///
    /// - Parameter account: the account of the login, or the guest's without one; `nil` if the guest is disabled.
    static func describe(_ account: Account?) -> Response {
        answer(description(of: account))
    }

    /// The reply with the ID of a session for one WebSocket.
    static func describe(_ account: Account?, oneTime id: SessionID) -> Response {
        let members = description(of: account).members ?? []
        return answer(.object(members + [JSONMember("one_time_session_id", .string(id.text))]))
    }

    static func description(of account: Account?) -> JSONValue {
        var channels: [JSONMember] = []
        for (channel, since) in (account?.access[.default]?.channels ?? [:]).sorted(by: { $0.key < $1.key }) {
            // Sync Gateway counts from 1.
            channels.append(JSONMember(channel, .number(String(max(1, since.value)))))
        }
        let name = account?.user.flatMap { $0.isGuest ? nil : $0.name }
        return .object([
            JSONMember("authentication_handlers", .array([.string("default"), .string("cookie")])),
            JSONMember("ok", .bool(true)),
            JSONMember(
                "userCtx", .object([JSONMember("channels", .object(channels)), JSONMember("name", name.map { .string($0) } ?? .null)])),
        ])
    }

    /// The reply `{"session_id","expires","cookie_name"}`, for an app's server that logs its users in.
    static func created(_ session: Session, cookieName: String) -> Response {
        answer(
            .object([
                JSONMember("session_id", .string(session.id.text)),
                JSONMember("expires", .string(Timestamp.rfc3339WithFraction(milliseconds: session.expires))),
                JSONMember("cookie_name", .string(cookieName)),
            ]))
    }

    static func answer(_ value: JSONValue) -> Response {
        var bytes: [UInt8] = []
        value.append(to: &bytes)
        return ServerAnswer.json(.ok, bytes)
    }
}
