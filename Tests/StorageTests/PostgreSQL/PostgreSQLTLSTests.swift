import Storage
import TestSupport
import Testing

@testable import PostgreSQLStorage

@Suite("Connections to PostgreSQL by TCP with TLS", .timeLimit(.minutes(3)))
struct PostgreSQLTLSTests {
    @Test("A server with a certificate of a trusted authority for its name is used, and the connection is encrypted")
    func trusted() async throws {
        let url = try TestPostgreSQL.secureURL(trusting: TestCertificates.authority)
        let store = try PostgreSQLStore(url: url, schema: "trusted")
        try await store.write { try $0.set("1", forSetting: "test") }
        #expect(try await store.read { try $0.setting("test") } == "1")
        try await store.close()
        let connection = try PostgreSQLConnection(
            try PostgreSQLAddress(url: url, schema: "trusted", isReadOnly: false), patience: .seconds(30))
        #expect(try connection.all("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()") { $0.bool(0) } == [true])
    }

    @Test("A server whose certificate is of another authority is refused")
    func untrusted() throws {
        let url = try TestPostgreSQL.secureURL(trusting: TestCertificates.stranger)
        #expect {
            _ = try PostgreSQLStore(url: url, schema: "untrusted")
        } throws: { error in
            (error as? StorageError)?.code == .inputOutput && "\(error)".contains("certificate verify failed")
        }
    }

    @Test("A server whose certificate is for another name is refused")
    func otherName() throws {
        let url = try TestPostgreSQL.secureURL(host: "elsewhere.example", trusting: TestCertificates.authority)
        #expect {
            _ = try PostgreSQLStore(url: url, schema: "elsewhere")
        } throws: { error in
            (error as? StorageError)?.code == .inputOutput && "\(error)".contains("does not match host name")
        }
    }
}
