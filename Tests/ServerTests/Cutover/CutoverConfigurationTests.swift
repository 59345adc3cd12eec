import Cutover
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("The configuration of a cutover")
struct CutoverConfigurationTests {
    private func database(_ lines: String, remote: String = "https://old.example.com/shop", continuous: Bool = true) throws
        -> ServerConfiguration.ServedDatabase
    {
        let configuration = try shop(
            """
            replications:
              legacy: { remote: "\(remote)", continuous: \(continuous) }
              modern: { remote: "wss://new.example.com/shop", continuous: true }
            \(lines)
            """)
        return try #require(configuration.databases.first)
    }

    private func complaint(_ lines: String, remote: String = "https://old.example.com/shop", continuous: Bool = true) throws
        -> ConfigurationError?
    {
        do {
            _ = try database(lines, remote: remote, continuous: continuous)
            return nil
        } catch let error as ConfigurationError {
            return error
        }
    }

    @Test("A database has no cutover without the key, and missing keys have defaults")
    func defaults() throws {
        #expect(try database("").cutover == nil)
        let cutover = try #require(try database("cutover: { legacy: legacy }").cutover)
        #expect(cutover == CutoverConfiguration(legacy: "legacy"))
        #expect(cutover.firstStage == .shadow && cutover.modern == nil)
        #expect(cutover.limits.maxLag == 60 && cutover.limits.maxParked == 0 && cutover.limits.requiresParity)
        #expect(cutover.limits.oldClientsQuietFor == 30 * 86_400 && cutover.hooks.timeout == 60)
    }

    @Test("Every key is read")
    func all() throws {
        let cutover = try #require(
            try database(
                """
                cutover:
                  legacy: legacy
                  modern: modern
                  stage: dual
                  gates: { maxLag: 5m, maxParked: 3, parity: skip, oldClientsQuietFor: 12h }
                  hooks: { before: [ hooks/a.sh, /opt/b ], after: [ hooks/c.sh ], timeout: 10s }
                """
            ).cutover)
        #expect(cutover.modern == "modern" && cutover.firstStage == .dual)
        #expect(cutover.limits.maxLag == 300 && cutover.limits.maxParked == 3)
        #expect(!cutover.limits.requiresParity && cutover.limits.oldClientsQuietFor == 43_200)
        #expect(cutover.hooks.before == ["/etc/bridge/hooks/a.sh", "/opt/b"] && cutover.hooks.after == ["/etc/bridge/hooks/c.sh"])
        #expect(cutover.hooks.timeout == 10)
    }

    @Test(
        "Mistakes have their place and the remedy",
        arguments: [
            ("cutover: {}", "needs `legacy`"), ("cutover: { legcy: legacy }", "`legacy`"),
            ("cutover: { legacy: legasy }", "the nearest is `legacy`"),
            ("cutover: { legacy: legacy, modern: legacy }", "another replication"),
            ("cutover: { legacy: legacy, modern: none }", "has no replication `none`"),
            ("cutover: { legacy: legacy, stage: dawn }", "`shadow`"),
            ("cutover: { legacy: legacy, gates: { maxlag: 1s } }", "`maxLag`"),
            ("cutover: { legacy: legacy, gates: { parity: maybe } }", "`required`"),
            ("cutover: { legacy: legacy, hooks: { befor: [] } }", "`before`"),
            ("cutover: { legacy: legacy, hooks: { before: [ \"\" ] } }", "empty"),
            ("cutover: { legacy: modern }", "parity: skip"),
        ])
    func complaints(lines: String, expected: String) throws {
        let error = try #require(try complaint(lines))
        #expect(error.message.contains(expected), "\(error)")
        #expect(error.path.hasPrefix("databases.shop.cutover"), "\(error.path)")
    }

    private static let upstream = "authenticators: { upstream: { url: \"https://old.example.com/shop\" } }\n"

    @Test("The rules for devices and their guard are read")
    func devices() throws {
        let lines =
            Self.upstream + """
                cutover:
                  legacy: legacy
                  devices:
                    { percent: 12.5, users: [anna, "qa-*"], channels: [pilot], addresses: [10.1.0.0/16], except: [ceo],
                      guard: { errorRate: 2%, conflicts: 10, parked: 1, window: 5m, action: halt } }
                """
        let devices = try #require(try database(lines).cutover?.devices)
        #expect(devices.rules.share.percent == 12.5 && devices.rules.users.map(\.text) == ["anna", "qa-*"])
        #expect(devices.rules.channels == ["pilot"] && devices.rules.addresses.count == 1 && devices.rules.except.map(\.text) == ["ceo"])
        let rules = try #require(devices.guardRules)
        #expect(rules.errorRate == Share(hundredths: 200) && rules.conflicts == 10 && rules.parked == 1)
        #expect(rules.window == 300 && rules.action == .halt)
        let plain = try #require(try database(Self.upstream + "cutover: { legacy: legacy, devices: {} }").cutover?.devices)
        #expect(plain == DevicesConfiguration())
        let guarded = try database(Self.upstream + "cutover: { legacy: legacy, devices: { guard: { parked: 1 } } }").cutover?.devices
        #expect(guarded?.guardRules?.window == 600 && guarded?.guardRules?.action == .back && guarded?.guardRules?.errorRate == nil)
    }

    @Test(
        "Mistakes in the rules for devices have their place",
        arguments: [
            ("percent: 101", "0 to 100"), ("percent: many", "0 to 100"), ("users: anna", "list"), ("addresses: [a]", "10.0.0.0/8"),
            ("guard: {}", "needs a limit"), ("guard: { errorRate: 101% }", "0 to 100"), ("guard: { conflicts: 0 }", "1 to"),
            ("guard: { parked: 1, window: 2h }", "3600s"), ("guard: { parked: 1, window: 1s }", "at least 5s"),
            ("guard: { parked: 1, action: stop }", "`halt`"), ("guards: {}", "`guard`"), ("compare: all", "0 to 100"),
        ])
    func deviceComplaints(line: String, expected: String) throws {
        let error = try #require(try complaint(Self.upstream + "cutover: { legacy: legacy, devices: { \(line) } }"))
        #expect(error.message.contains(expected), "\(error)")
        #expect(error.path.hasPrefix("databases.shop.cutover.devices"), "\(error.path)")
    }

    @Test("Devices that are passed on need the old server's public port")
    func devicesWithoutUpstream() throws {
        #expect(try complaint("cutover: { legacy: legacy, devices: {} }")?.message.contains("authenticators.upstream") == true)
    }

    @Test("The old server's replication has to be continuous; a 2.x+ server is not compared")
    func replications() throws {
        #expect(try complaint("cutover: { legacy: legacy }", continuous: false)?.message.contains("continuous: true") == true)
        #expect(try complaint("cutover: { legacy: legacy }", remote: "wss://old.example.com/shop") != nil)
        #expect(try complaint("cutover: { legacy: legacy, gates: { parity: skip } }", remote: "wss://old.example.com/shop") == nil)
    }

    @Test("The stage sets the direction of the old server's replication, and of no other", arguments: CutoverStage.allCases)
    func directions(stage: CutoverStage) throws {
        let directions: [CutoverStage: DefinedDirection] = [.shadow: .pull, .dual: .pushAndPull, .switched: .push]
        let database = try database("cutover: { legacy: legacy }")
        let directed = database.replications(at: stage)
        #expect(directed["legacy"]?.direction == directions[stage])
        #expect(directed["modern"] == database.replications["modern"])
        #expect(database.replications(at: nil) == database.replications)
        var without = database
        without.cutover = nil
        #expect(without.replications(at: stage) == database.replications)
    }

    @Test(
        "The replication with the old server is found by `cutover`, and by host and database at any port",
        arguments: [
            ("http://old.example.com:4985/shop", "cutover: { legacy: legacy }", true), ("http://old.example.com:4985/shop", "", true),
            ("https://OLD.example.com/shop", "", true), ("http://10.0.0.7:4985/shop", "cutover: { legacy: legacy }", true),
            ("http://10.0.0.7:4985/shop", "", false), ("https://old.example.com/other", "", false),
            ("wss://old.example.com/shop", "", false),
        ])
    func upstream(_ remote: String, _ lines: String, _ isUpstream: Bool) throws {
        let login = "authenticators: { upstream: { url: \"https://old.example.com/shop/\" } }"
        let database = try database(login + "\n" + lines, remote: remote)
        let upstream = try #require(LegacyUpstream(database))
        #expect(upstream.isServer(of: try #require(database.replications["legacy"])) == isUpstream)
        #expect(!upstream.isServer(of: try #require(database.replications["modern"])))
    }

    @Test("A filter is accepted only for the directions that use it")
    func filters() throws {
        var definition = ReplicationDefinition(target: .server(try RemoteAddress("https://old.example.com/shop")))
        definition.filter = ReplicationFilterChoice(.named("app/mine"))
        #expect(definition.directed(.push).filter == nil && definition.directed(.pull).filter != nil)
        definition.filter = ReplicationFilterChoice(.javaScript("function (doc) { return true; }"))
        #expect(definition.directed(.pull).filter == nil && definition.directed(.push).filter != nil)
        for direction in DefinedDirection.allCases { try definition.directed(direction).validate() }
    }
}
