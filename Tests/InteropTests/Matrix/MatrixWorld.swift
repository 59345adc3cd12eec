import Access
import Authentication
import Documents
import Foundation
import Gateway
import SQLiteStorage
import Server
import Storage
import Testing

/// A bridge with everybody of the matrix, and documents that some may see and others not.
struct MatrixWorld: Sendable {
    /// Stands in the body of every document that is hidden; nobody who may not see it may ever read this.
    static let marker = "marmalade"

    let bridge: RunningBridge
    private let expired: String
    private let insider: String
    private let outsider: String

    /// The headers by which a caller is known.
    func headers(_ caller: MatrixCaller) -> String {
        switch caller {
        case .noCredentials, .guest, .administrator: ""
        case .wrongPassword: basic("insider", "wrong")
        case .expiredSession: "Cookie: SyncGatewaySession=\(expired)\r\n"
        case .userWithoutChannel: basic("outsider", "U*U")
        case .otherUsersSession: "Cookie: SyncGatewaySession=\(outsider)\r\n"
        case .userWithChannel: "Cookie: SyncGatewaySession=\(insider)\r\n"
        }
    }

    func port(_ caller: MatrixCaller) -> Int { caller == .administrator ? bridge.adminPort : bridge.port }

    func ask(
        _ caller: MatrixCaller, _ method: String, _ path: String, _ body: String = "", headers: String = ""
    ) async throws -> RawAnswer {
        let socket = try RawSocket(port: port(caller))
        defer { socket.cut() }
        return try await socket.ask(method, path, body, headers: self.headers(caller) + headers)
    }

    /// Runs a world where the guest is let in, or is not.
    static func run(guest: Bool, _ body: @Sendable (MatrixWorld) async throws -> Void) async throws {
        try await RunningBridge.run(
            { $0.guest = GuestConfiguration(isEnabled: guest, channels: ["g"]) }, logging: LogControl { _ in }
        ) { (bridge) async throws in
            let accounts = Accounts(bridge.store)
            for (name, channel) in [("insider", "secret"), ("outsider", "other")] {
                var change = AccountChange()
                change.channels = [channel]
                // Quickly checked, so that many wrong passwords can be tried.
                change.passwordHash = PasswordHash("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW")
                try await accounts.put(.user(name), change)
            }
            let world = MatrixWorld(
                bridge: bridge, expired: try await session(of: "insider", endedIn: bridge, accounts),
                insider: try await session(of: "insider", in: bridge), outsider: try await session(of: "outsider", in: bridge))
            // So that later logins are remembered ones.
            _ = try await world.ask(.userWithoutChannel, "GET", "/shop/")
            try await body(world)
        }
    }

    private static func session(of user: String, in bridge: RunningBridge) async throws -> String {
        try #require(try await bridge.admin("POST", "/shop/_session", #"{"name":"\#(user)"}"#).json["session_id"]?.string)
    }

    private static func session(of name: String, endedIn bridge: RunningBridge, _ accounts: Accounts) async throws -> String {
        let id = SessionID()
        let generation = try await accounts.user(name)?.sessionGeneration ?? 0
        try await bridge.store.write { transaction in
            try transaction.setSession(
                SessionRecord(key: id.key, user: name, generation: generation, created: 1, expires: 60_000, timeToLive: 59_999))
        }
        return id.text
    }

    /// Two IDs that differ in nothing but that one is a document's in the channel `secret`, with an attachment; and its revision.
    func documents(_ number: Int) async throws -> (hidden: String, absent: String, revision: String) {
        let (hidden, absent) = ("hidden\(number)", "absent\(number)")
        let body =
            #"{"channels":["secret"],"text":"\#(Self.marker)","_attachments":{"photo":{"content_type":"text/html","data":"PGI+bWFybWFsYWRlPC9iPg=="}}}"#
        let revision = try #require(try await bridge.admin("PUT", "/shop/\(hidden)", body).json["rev"]?.string)
        return (hidden, absent, revision)
    }
}
