import Access
import Authentication
import Foundation
import HTTPListener
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOSSL
import SQLiteStorage
import Storage
import TestSupport
import Testing

@testable import Server

@Suite("Logins by client certificate")
struct CertificateLoginTests {
    private func scene(registers: Bool = true, _ body: (DatabaseAccess, RequestInfo) async throws -> Void) async throws {
        let path = NSTemporaryDirectory() + "dualgauge-server-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let store = try SQLiteStore(path: path + "/test.dualgauge")
        var configuration = AuthenticatorsConfiguration()
        var certificates = ClientCertificateConfiguration()
        certificates.prefix = "device "
        certificates.registers = registers
        configuration.clientCertificate = certificates
        let access = DatabaseAccess(store: store, database: "db", authenticators: Authenticators(configuration))
        let certificate = try NIOSSLCertificate(bytes: Array(TestCertificates.client.certificate.utf8), format: .pem)
        try await body(access, RequestInfo(peerCertificate: certificate))
        await access.close()
        try await store.close()
    }

    private func request(_ headers: HTTPFields = [:]) -> Request {
        Request(
            head: HTTPRequest(method: .get, scheme: "https", authority: "a", path: "/db/", headerFields: headers),
            body: RequestBody(buffer: ByteBuffer()))
    }

    @Test("A verified certificate names its user; a client without a certificate is not logged in")
    func names() async throws {
        try await scene { access, info in
            let caller = try await access.login(request(), info)
            #expect(caller?.principal == .user("1") && caller?.expires != nil)
            #expect(try await access.login(request(), RequestInfo()) == nil)
        }
    }

    @Test("Explicit credentials take precedence over the certificate, and are refused when they are wrong (CVE-2022-32563)")
    func precedence() async throws {
        try await scene { access, info in
            let cookie = HTTPFields(dictionaryLiteral: (.cookie, "SyncGatewaySession=no"))
            await #expect(throws: AccessError.self) { try await access.login(request(cookie), info) }
            let password = HTTPFields(dictionaryLiteral: (.authorization, "Basic \(Data("1:no".utf8).base64EncodedString())"))
            await #expect(throws: AccessError.self) { try await access.login(request(password), info) }
        }
    }

    @Test("A certificate of an unknown user is no login, and not the guest's either")
    func unknown() async throws {
        try await scene(registers: false) { access, info in
            await #expect(throws: LoginError.self) { try await access.caller(of: request(), info) }
        }
    }
}
