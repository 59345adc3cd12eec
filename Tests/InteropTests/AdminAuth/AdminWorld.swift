import Access
import BridgeConfiguration
import Foundation
import Server

/// A bridge whose admin port has three users, one of each role.
struct AdminWorld: Sendable {
    /// The password of all users, with a cheap hash.
    static let password = "U*U"
    private static let hash = PasswordHash("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW")

    let bridge: RunningBridge
    let audit: String

    static func run(_ body: @Sendable (AdminWorld) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let audit = "\(folder.path)/audit.jsonl"
        try await RunningBridge.run(
            serving: { $0.access.cors.origins = ["https://app.example.com"] }, logging: LogControl { _ in }, in: folder,
            configuring: { configuration in
                var auth = AdminAuthConfiguration()
                for role in AdminRole.allCases { auth.users[role.rawValue] = .init(role: role, password: .hash(hash)) }
                configuration.adminAuth = auth
                configuration.auditFile = audit
            }
        ) { (bridge) async throws in
            try await body(AdminWorld(bridge: bridge, audit: audit))
        }
    }

    func ask(
        _ role: AdminRole?, _ method: String, _ path: String, _ body: String = "", password: String = AdminWorld.password,
        headers: String = ""
    ) async throws -> RawAnswer {
        try await bridge.admin(method, path, body, headers: (role.map { basic($0.rawValue, password) } ?? "") + headers)
    }

    /// The lines of the audit log.
    var lines: [Substring] {
        get throws { try String(contentsOfFile: audit, encoding: .utf8).split(separator: "\n") }
    }
}
