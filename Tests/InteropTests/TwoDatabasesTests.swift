import BridgeConfiguration
import Gateway
import Logging
import Server
import Testing

@Suite("Databases beside each other", .serialized)
struct TwoDatabasesTests {
    /// A function that tries to keep state for the next call, of this or of another database. The state lasts only for its own call.
    private static let sync = """
        function (doc) {
            try { globalThis.left = (globalThis.left || 0) + 1; } catch (e) {}
            try { Array.prototype.left = 1; } catch (e) {}
            throw({forbidden: "left: " + globalThis.left + " " + [].left});
        }
        """

    @Test("State of one database's functions is not visible in another (CVE-2023-26268), nor is a session valid in another")
    func apart() async throws {
        let folder = try TemporaryFolder()
        var configuration = ServerConfiguration()
        configuration.listen.publicAddress.port = 0
        configuration.listen.adminAddress.port = 0
        configuration.databases = ["one", "two"].map { name in
            var database = DatabaseConfiguration(name: name)
            database.collections = [CollectionConfiguration(name: .default, syncFunction: Self.sync)]
            return .init(configuration: database, store: "\(folder.path)/\(name).dualgauge")
        }
        let bridge = try await Bridge.open(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let (ports, continuation) = AsyncStream.makeStream(of: (Int, Int).self)
        async let serving: Void = bridge.serve { continuation.yield(($0, $1)) }
        let (port, adminPort) = try #require(await ports.first { _ in true })
        func ask(_ port: Int, _ method: String, _ path: String, _ body: String = "", headers: String = "") async throws -> RawAnswer {
            let socket = try RawSocket(port: port)
            defer { socket.cut() }
            return try await socket.ask(method, path, body, headers: headers)
        }
        for name in ["one", "two", "one", "two"] {
            let answer = try await ask(adminPort, "PUT", "/\(name)/d", "{}")
            #expect(answer.status == 403 && answer.text.contains("left: 1 undefined"), "\(answer.text)")
        }
        _ = try await ask(adminPort, "PUT", "/one/_user/anna", #"{"password":"abc"}"#)
        let login = try await ask(port, "POST", "/one/_session", #"{"name":"anna","password":"abc"}"#)
        let cookie = "Cookie: \((login["Set-Cookie"] ?? "").prefix { $0 != ";" })\r\n"
        #expect(try await ask(port, "GET", "/one/", headers: cookie).status == 200)
        for headers in [cookie, basic("anna", "abc")] { #expect(try await ask(port, "GET", "/two/", headers: headers).status == 401) }
        try await bridge.stop()
        try await serving
    }
}
