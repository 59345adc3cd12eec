import ArgumentParser
import Documents
import Foundation
import TestSupport
import Testing

@testable import BridgeConfiguration
@testable import Server
@testable import dualgauge

@Suite("The command line and the admin port", .serialized)
struct AdminCommandTests {
    @Test(
        "The address is that of the port; a database in its path has to be the database of the command",
        arguments: [
            ("http://127.0.0.1:4985", "shop", "http://127.0.0.1:4985", "shop"),
            ("http://127.0.0.1:4985/", "shop", "http://127.0.0.1:4985", "shop"),
            ("http://127.0.0.1:4985/shop", nil, "http://127.0.0.1:4985", "shop"), ("http://h/shop/", "shop", "http://h", "shop"),
            ("https://u:p%40@h:1/a%2Bb", nil, "https://h:1", "a+b"), ("http://[::1]:4985", nil, "http://[::1]:4985", nil),
        ] as [(String, String?, String, String?)])
    func places(_ url: String, _ name: String?, _ base: String, _ database: String?) throws {
        let place = try AdminAddress(url, database: name)
        #expect(place.base == base && place.database == database && !place.base.contains("@"))
    }

    @Test(
        "An invalid address is refused without being printed",
        arguments: [
            "", "127.0.0.1:4985", "ftp://u:marmalade@h", "http://", "http://u:marmalade@h/a/b", "http://u:marmalade@h/?x",
            "http://u:marmalade@h/other",
        ])
    func noPlaces(_ url: String) {
        let error = #expect(throws: ValidationError.self) { try AdminAddress(url, database: "shop") }
        #expect(error?.message.contains("marmalade") == false)
    }

    @Test(
        "Every command accepts the address, the database and the login in the same form, and in the old forms",
        arguments: [["user", "list"], ["role", "list"], ["fleet"], ["parked", "list"]])
    func forms(_ command: [String]) async throws {
        try await AdminWorld.run { (world) async throws in
            let url = "http://127.0.0.1:\(world.bridge.adminPort)"
            let login = ["--admin-user", "read-only:\(AdminWorld.password)"]
            let now = try await Program.run(command + ["shop", "--admin", url] + login)
            #expect(now.code == 0, "\(now.errors)")
            let inURL = url.replacing("//", with: "//read-only:\(AdminWorld.password)@")
            #expect(try await Program.run(command + ["shop", "--admin", inURL]).code == 0)
            let variables = [
                "DUALGAUGE_ADMIN": url, "DUALGAUGE_ADMIN_USER": "read-only", "DUALGAUGE_ADMIN_PASSWORD": AdminWorld.password,
            ]
            #expect(try await Program.run(command + ["shop"], environment: variables).code == 0)
            let old = ["user", "role"].contains(command[0]) ? ["--admin", "\(url)/shop"] : ["\(url)/shop"]
            #expect(try await Program.run(command + old + login).code == 0)
            let none = try await Program.run(command + ["shop", "--admin", url])
            #expect(none.code == 2 && none.errors.contains("--admin-user") && none.errors.hasPrefix("dualgauge: "), "\(none.errors)")
            let wrong = try await Program.run(command + ["shop", "--admin", url, "--admin-user", "read-only:marmalade"])
            #expect(wrong.code == 2 && !wrong.errors.contains("marmalade"), "\(wrong.errors)")
            let other = try await Program.run(command + ["other", "--admin", "\(url)/shop"] + login)
            #expect(other.code == 2 && other.errors.contains("beside it"), "\(other.errors)")
            let gone = try await Program.run(command + ["shop", "--admin", "http://127.0.0.1:1"])
            #expect(gone.code == 3 && gone.errors.contains("cannot be reached: connection refused. "), "\(gone.errors)")
        }
    }

    @Test("The database comes before the name; the other order is accepted where only the second word is a database")
    func order() async throws {
        try await AdminWorld.run { (world) async throws in
            let url = "http://administrator:\(AdminWorld.password)@127.0.0.1:\(world.bridge.adminPort)"
            let made = try await Program.run("role", "add", "shop", "clerks", "--admin", url)
            #expect(made.code == 0 && made.errors.isEmpty && made.output == "Added role clerks.\n", "\(made.errors)")
            let shown = try await Program.run("role", "show", "clerks", "shop", "--admin", url)
            #expect(shown.code == 0 && shown.output.hasPrefix("name: clerks"), "\(shown.errors)")
            #expect(shown.errors == "dualgauge: the database comes first: `shop clerks`\n")
            // The URL of a database is not a name.
            for words in [["\(url)/shop", "clerks"], ["clerks", "\(url)/shop"]] {
                let found = try await Program.run(["role", "show"] + words)
                #expect(found.code == 0 && found.output.hasPrefix("name: clerks") && found.errors.isEmpty, "\(words): \(found.errors)")
            }
            let inAddress = try await Program.run("role", "show", "clerks", "shop", "--admin", "\(url)/shop")
            #expect(inAddress.code == 0 && inAddress.output.hasPrefix("name: clerks"), "\(inAddress.errors)")
            // A user with the name of the database.
            #expect(try await Program.run("user", "add", "shop", "shop", "--password", "secret", "--admin", url).code == 0)
            for (words, text) in [
                (["clerks", "nowhere"], "no such database"), (["shop", "clerks", "x"], "no more words"), ([], "Name the role"),
            ] {
                let refused = try await Program.run(["role", "show"] + words + ["--admin", url])
                #expect(refused.code == 2 && refused.errors.contains(text), "\(words): \(refused.errors)")
            }
        }
    }

    @Test("A role without the permission gets an error with the role; sessions are revoked by ID or for a user of the database")
    func accounts() async throws {
        try await AdminWorld.run { (world) async throws in
            let (start, end) = ("http://", ":\(AdminWorld.password)@127.0.0.1:\(world.bridge.adminPort)")
            let url = start + "administrator" + end
            let refused = try await Program.run("user", "add", "shop", "zoe", "--password", "secret", "--admin", start + "operator" + end)
            #expect(refused.code == 2 && refused.errors.contains("needs the role administrator"), "\(refused.errors)")
            #expect(try await Program.run("user", "add", "shop", "zoe", "--password", "secret", "--admin", url).code == 0)
            let made = try await Program.run("session", "create", "shop", "zoe", "--json", "--admin", url)
            let id = try #require(try JSONValue(Array(made.output.utf8))["session_id"]?.string)
            #expect(try await Program.run("session", "revoke", "shop", id, "--admin", url).code == 0)
            #expect(try await Program.run("session", "revoke", "shop", "--user", "zoe", "--admin", url).code == 0)
            #expect(try await Program.run("session", "revoke", "--user", "zoe", "--admin", "\(url)/shop").code == 0)
            #expect(try await Program.run("session", "revoke", "shop", "x", "--user", "zoe", "--admin", url).code == 2)
        }
    }

    @Test("Over TLS a certificate is a login by its common name, if the configuration has the name", arguments: ["device 1", "device 2"])
    func certificates(_ name: String) async throws {
        let folder = try TemporaryFolder()
        let identity = try folder.write(TestCertificates.client.certificate + "\n" + TestCertificates.client.key + "\n", to: "me.pem")
        let authority = try folder.write(TestCertificates.authority.certificate, to: "ca.pem")
        let server = TLSFiles(
            certificate: try folder.write(TestCertificates.first.certificate, to: "server.pem"),
            key: try folder.write(TestCertificates.first.key, to: "server.key"), clientCA: authority)
        let audit = "\(folder.path)/audit.jsonl"
        try await RunningBridge.run(configuring: { configuration in
            configuration.auditFile = audit
            configuration.listen.adminTLS = server
            var auth = AdminAuthConfiguration()
            auth.certificates = [name: .operator]
            configuration.adminAuth = auth
        }) { (bridge) async throws in
            let command = ["user", "list", "shop", "--admin", "https://127.0.0.1:\(bridge.adminPort)"]
            let shown = try await Program.run(command + ["--admin-ca", authority, "--admin-identity", identity])
            #expect(shown.code == (name == "device 1" ? 0 : 2), "\(shown.errors)")
            let lines = try String(contentsOfFile: audit, encoding: .utf8)
            #expect(lines.contains(#""user":"device 1","role":"-""#) == (name != "device 1"), "\(lines)")
            #expect(try await Program.run(command + ["--admin-ca", authority]).code == 2)
            let untrusted = try await Program.run(command)
            #expect(untrusted.code == 3 && untrusted.errors.contains("certificate verify failed"), "\(untrusted.errors)")
        }
    }
}
