import BridgeConfiguration
import Documents
import Gateway
import Logging
import ReplicationService
import Server
import Storage
import Stores
import TestSupport
import Testing

@Suite("A new configuration for a running bridge", .timeLimit(.minutes(5)))
struct ReloadTests {
    private func with(_ bridge: RunningBridge, _ change: (inout ServerConfiguration) throws -> Void) rethrows -> ServerConfiguration {
        var configuration = bridge.bridge.configuration
        try change(&configuration)
        return configuration
    }

    private func second(_ folder: TemporaryFolder, _ name: String = "second") -> ServerConfiguration.ServedDatabase {
        var database = DatabaseConfiguration(name: name)
        database.guest = GuestConfiguration(isEnabled: true, channels: ["*"])
        return ServerConfiguration.ServedDatabase(configuration: database, store: "\(folder.path)/second.dualgauge")
    }

    @Test("Databases are added, renamed with their store, and removed")
    func comingAndGoing() async throws {
        let folder = try TemporaryFolder()
        try await RunningBridge.run { bridge in
            #expect(try await bridge.ask("GET", "/second/").status == 404)
            let added = try await bridge.bridge.reload(with(bridge) { $0.databases.append(second(folder)) })
            #expect(added.added == ["second"] && added.changed.isEmpty && added.removed.isEmpty && added.failed.isEmpty)
            #expect(try await bridge.ask("PUT", "/second/a", "{}").status == 201)
            let renamed = try await bridge.bridge.reload(with(bridge) { $0.databases.append(second(folder, "third")) })
            #expect(renamed.added == ["third"] && renamed.removed == ["second"])
            #expect(try await bridge.ask("GET", "/second/").status == 404)
            #expect(try await bridge.ask("GET", "/third/a").status == 200)
            let removed = try await bridge.bridge.reload(bridge.bridge.configuration)
            #expect(removed.removed == ["third"] && removed.added.isEmpty)
            #expect(try await bridge.ask("GET", "/third/a").status == 404)
            #expect(try await bridge.ask("GET", "/shop/").status == 200)
        }
    }

    @Test("The same configuration has no effect on clients")
    func unchanged() async throws {
        try await RunningBridge.run { bridge in
            let feed = try bridge.connect()
            defer { feed.cut() }
            try await feed.send("GET /shop/_changes?feed=continuous HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await feed.read(until: "200 OK")
            let report = try await bridge.bridge.reload(bridge.bridge.configuration)
            #expect(report == ReloadReport())
            #expect(try await bridge.ask("PUT", "/shop/a", "{}").status == 201)
            _ = try await feed.read(until: #""id":"a""#)
        }
    }

    @Test("A changed database ends its feeds, uses the new settings, and drops settings of the admin port")
    func changed() async throws {
        try await RunningBridge.run { bridge in
            #expect(try await bridge.ask("PUT", "/shop/a", "{}").status == 201)
            #expect(try await bridge.admin("PUT", "/shop/_config/sync", "function () { throw({forbidden: 'admin'}); }").status == 200)
            #expect(try await bridge.ask("PUT", "/shop/b", "{}").status == 403)
            let feed = try bridge.connect()
            defer { feed.cut() }
            try await feed.send("GET /shop/_changes?feed=continuous HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await feed.read(until: "200 OK")
            // A file without a function keeps the present function.
            let silent = with(bridge) { $0.databases[0].configuration.deltaSync = true }
            #expect(try await bridge.bridge.reload(silent).changed == ["shop"])
            #expect(try await bridge.ask("PUT", "/shop/b", "{}").status == 403)
            let changed = with(bridge) {
                $0.databases[0].configuration.collections.append(CollectionConfiguration(name: .default, syncFunction: ""))
            }
            let report = try await bridge.bridge.reload(changed)
            #expect(report.changed == ["shop"] && report.failed.isEmpty)
            _ = try await feed.read(until: "\r\n0\r\n\r\n")
            #expect(try await bridge.ask("GET", "/shop/a").status == 200)
            #expect(try await bridge.ask("PUT", "/shop/b", "{}").status == 201)
        }
    }

    @Test("A database can change to another store")
    func otherStore() async throws {
        let folder = try TemporaryFolder()
        try await RunningBridge.run { bridge in
            #expect(try await bridge.ask("PUT", "/shop/a", "{}").status == 201)
            let elsewhere = with(bridge) { $0.databases[0].store = .folder("\(folder.path)/other.dualgauge") }
            let moved = try await bridge.bridge.reload(elsewhere)
            #expect(moved.changed == ["shop"] && moved.failed.isEmpty)
            #expect(try await bridge.ask("GET", "/shop/a").status == 404)
            #expect(try await bridge.bridge.reload(bridge.bridge.configuration).changed == ["shop"])
            #expect(try await bridge.ask("GET", "/shop/a").status == 200)
        }
    }

    @Test("Replications of the configuration are started, changed and stopped, and the database's clients stay connected")
    func replications() async throws {
        try await RunningBridge.run { there in
            #expect(try await there.ask("PUT", "/shop/a", "{}").status == 201)
            try await RunningBridge.run { here in
                let feed = try here.connect()
                defer { feed.cut() }
                try await feed.send("GET /shop/_changes?feed=continuous HTTP/1.1\r\nHost: a\r\n\r\n")
                var pull = ReplicationDefinition(target: .server(try RemoteAddress("http://127.0.0.1:\(there.port)/shop")))
                pull.direction = .pull
                pull.continuous = true
                let pulling = with(here) { $0.databases[0].replications = ["upstream": pull] }
                #expect(try await here.bridge.reload(pulling).changed == ["shop"])
                _ = try await feed.read(until: #""id":"a""#)
                #expect(try await here.bridge.reload(pulling) == ReloadReport())
                pull.direction = .pushAndPull
                #expect(try await here.bridge.reload(with(here) { $0.databases[0].replications = ["upstream": pull] }).changed == ["shop"])
                #expect(try await here.ask("PUT", "/shop/b", "{}").status == 201)
                try await eventually { try await there.ask("GET", "/shop/b").status == 200 }
                #expect(try await here.bridge.reload(here.bridge.configuration).changed == ["shop"])
                let list = try JSONValue(await here.admin("GET", "/shop/_replicationStatus/").body)
                #expect(list.array?.isEmpty == true)
                #expect(try await here.ask("PUT", "/shop/c", "{}").status == 201)
                _ = try await feed.read(until: #""id":"c""#)
            }
        }
    }

    @Test("A configuration with a mistake is refused as a whole")
    func fault() async throws {
        let folder = try TemporaryFolder()
        try await RunningBridge.run { bridge in
            let broken = with(bridge) { configuration in
                configuration.databases.append(second(folder))
                configuration.databases[0].configuration.collections[0].syncFunction = "function ("
            }
            await #expect(throws: ConfigurationError.self) { try await bridge.bridge.reload(broken) }
            let (absent, present) = (try await bridge.ask("GET", "/second/"), try await bridge.ask("GET", "/shop/"))
            #expect(absent.status == 404 && present.status == 200)
        }
    }

    @Test("A database that cannot be opened is reported, the others change; it is tried again with the next configuration")
    func failure() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("no folder", to: "second.dualgauge")
        try await RunningBridge.run { bridge in
            let wanted = with(bridge) { $0.databases += [second(folder), second(folder, "third")] }
            var usable = wanted
            usable.databases[2].store = .folder("\(folder.path)/third.dualgauge")
            let report = try await bridge.bridge.reload(usable)
            #expect(report.failed.keys.sorted() == ["second"] && report.added == ["third"], "\(report)")
            #expect(report.failed["second"]?.contains(path) == true, "\(report)")
            usable.databases[1].store = .folder("\(folder.path)/better.dualgauge")
            #expect(try await bridge.bridge.reload(usable).added == ["second"])
        }
    }

    @Test("The name of a database of the admin port is refused in the file")
    func takenName() async throws {
        let folder = try TemporaryFolder()
        try await RunningBridge.run { bridge in
            #expect(try await bridge.admin("PUT", "/second/", "{}").status == 201)
            let report = try await bridge.bridge.reload(with(bridge) { $0.databases.append(second(folder)) })
            #expect(report.failed["second"]?.contains("admin port") == true)
            #expect(try await bridge.bridge.reload(bridge.bridge.configuration).removed.isEmpty)
            #expect(try await bridge.admin("GET", "/second/").status == 200)
        }
    }

    @Test("Settings that need a restart are reported")
    func waiting() async throws {
        try await RunningBridge.run { bridge in
            let report = try await bridge.bridge.reload(
                with(bridge) { configuration in
                    configuration.listen.publicAddress.port = 1
                    configuration.listen.adminAddress.host = "127.0.0.2"
                    configuration.serverHeader = "Other/1"
                    configuration.databasesFolder = "/elsewhere"
                    configuration.allowsFlush = true
                })
            #expect(report.waiting == ["listen.public", "listen.admin", "serverHeader", "databasesFolder", "allowFlush"])
            #expect(try await bridge.ask("GET", "/shop/").status == 200)
        }
    }

    @Test("Logging and limits follow the file; unchanged settings of the file keep the values of the admin port")
    func logsAndLimits() async throws {
        let logging = LogControl(sink: { _ in })
        try await RunningBridge.run(logging: logging) { bridge in
            let quiet = with(bridge) { configuration in
                configuration.logging.level = .error
                configuration.limits.requestSize = 1_024
                configuration.limits.connections += 1
            }
            #expect(try await bridge.bridge.reload(quiet).waiting == ["limits.connections"])
            #expect(logging.settings.level == .error)
            let body = "{\"docs\":[{\"pad\":\"\(String(repeating: "x", count: 2_000))\"}]}"
            #expect(try await bridge.ask("POST", "/shop/_bulk_docs", body).status == 413)
            #expect(try await bridge.admin("PUT", "/_logging", #"{"level":"debug"}"#).status == 200)
            try await bridge.bridge.reload(quiet)
            #expect(logging.settings.level == .debug)
            try await bridge.bridge.reload(bridge.bridge.configuration)
            #expect(logging.settings.level == bridge.bridge.configuration.logging.level)
            #expect(try await bridge.ask("POST", "/shop/_bulk_docs", body).status == 201)
        }
    }
}
