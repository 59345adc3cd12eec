import Access
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("adminAuth and audit in the configuration")
struct AdminAuthConfigurationTests {
    private static let hash = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
    private static let rest = "\ndatabases: { shop: { store: shop.dualgauge } }\n"

    @Test("Users with passwords of the environment or hashes, certificates and the file of the audit log are read")
    func good() throws {
        let text = """
            listen: { adminTLS: { certificate: a.pem, key: a.key, clientCA: ca.pem } }
            adminAuth:
              users:
                ops: { role: operator, password: "${OPS}" }
                root: { role: administrator, passwordHash: "\(Self.hash)" }
              certificates: { Ops Team: read-only }
            audit: { file: audit.jsonl }
            """
        let configuration = try parse(text + Self.rest, environment: ["OPS": "marmalade"])
        let auth = try #require(configuration.adminAuth)
        #expect(auth.users["ops"] == .init(role: .operator, password: .text(Secret("marmalade"))))
        #expect(auth.users["root"] == .init(role: .administrator, password: .hash(PasswordHash(Self.hash))))
        #expect(auth.certificates == ["Ops Team": .readOnly])
        #expect(configuration.auditFile == "/etc/bridge/audit.jsonl")
        #expect(configuration.listen.adminTLS?.clientCA == "/etc/bridge/ca.pem" && configuration.listen.tls == nil)
        #expect(!"\(configuration)".contains("marmalade"))
        #expect(try parse(Self.rest).adminAuth == nil)
    }

    @Test(
        "A mistake is reported with its place",
        arguments: [
            ("adminAuth: {}", "adminAuth", "no login"), ("adminAuth: { users: {} }", "adminAuth", "no login"),
            ("adminAuth: { users: { a: { password: x } } }", "adminAuth.users.a", "role"),
            ("adminAuth: { users: { a: { role: admin, password: x } } }", "adminAuth.users.a.role", "`administrator`"),
            ("adminAuth: { users: { a: { role: operator } } }", "adminAuth.users.a", "password"),
            ("adminAuth: { users: { a: { role: operator, password: '' } } }", "adminAuth.users.a.password", "empty"),
            ("adminAuth: { users: { a: { role: operator, passwordHash: x } } }", "adminAuth.users.a.passwordHash", "hash"),
            ("adminAuth: { users: { 'a:b': { role: operator, password: x } } }", "adminAuth.users.a:b", "colon"),
            ("adminAuth: { users: { a: { role: operator, pasword: x } } }", "adminAuth.users.a.pasword", "`password`"),
            ("adminAuth: { certificates: { a: operator } }", "adminAuth.certificates", "clientCA"),
            ("adminAuth: { user: {} }", "adminAuth.user", "`users`"), ("audit: {}", "audit", "file"),
            ("audit: { file: '' }", "audit.file", "empty"), ("listen: { adminTLS: { key: k } }", "listen.adminTLS", "certificate"),
            ("logging: { format: xml }", "logging.format", "`json`"),
        ])
    func bad(_ text: String, _ path: String, _ words: String) throws {
        let error = try #require(try complaint { try parse(text + Self.rest) })
        #expect(error.findings.contains { $0.path == path && $0.message.contains(words) }, "\(error)")
    }
}
