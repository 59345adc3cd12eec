import Foundation
import Stores
import TestSupport
import Testing

@testable import BridgeConfiguration

@Suite("A store in PostgreSQL in the configuration")
struct StoreAddressTests {
    private func check(_ text: String) async throws -> CheckedFile<ServerConfiguration> {
        let path = NSTemporaryDirectory() + "dualgauge-address-" + UUID().uuidString + ".yaml"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return await ConfigurationFile.checkWithStores(path, environment: [:])
    }

    @Test("The schema is the database's name unless the address names one")
    func schema() async throws {
        let checked = try await check(
            """
            databases:
              shop: { store: "postgres://anna@127.0.0.1:1/shops?connect_timeout=1" }
              stock: { store: "postgres://anna@127.0.0.1:1/shops?schema=other&connect_timeout=1" }
            """)
        #expect(checked.content?.databases.map(\.store.name).sorted() == ["other", "shop"])
        // A server that is away is no mistake: the bridge starts and waits for it.
        #expect(checked.error == nil)
        #expect(checked.findings.filter { $0.code == .unreachableStore }.count == 2)
    }

    @Test("A malformed address, a second database with the same store and a schema for all are mistakes, and no message has the password")
    func mistakes() async throws {
        let checked = try await check(
            """
            databasesFolder: postgres://anna:s3cret@db/shops?schema=all
            databases:
              shop: { store: "postgres://anna:s3cret@db/shops?nothing=1" }
              stock: { store: "postgres://anna:s3cret@db/shops?schema=a" }
              other: { store: "postgres://otto:s3cret@db/shops?schema=a" }
            """)
        let codes = checked.error?.findings.map(\.code) ?? []
        #expect(codes.filter { $0 == .badValue }.count == 2)
        #expect(codes.contains(.contradiction))
        #expect(!checked.findings.contains { $0.line.contains("s3cret") }, "\(checked.findings.map(\.line))")
    }
}
