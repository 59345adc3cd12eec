import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("Complaints about a configuration")
struct ComplaintTests {
    @Test(
        "An unknown key is named with the nearest known one, its path and its line",
        arguments: [
            ("listn: 4\ndatabases: { shop: { store: s } }", "listn", "`listn`", "`listen`", 1),
            ("listen:\n  pubic: 4\ndatabases: { shop: { store: s } }", "listen.pubic", "`pubic`", "`public`", 2),
            ("listen:\n  tls:\n    certificat: a\n", "listen.tls.certificat", "`certificat`", "`certificate`", 3),
            ("databases:\n  shop:\n    stoer: s", "databases.shop.stoer", "`stoer`", "`store`", 3),
            ("databases:\n  shop:\n    rotues:\n      - { to: a.b }", "databases.shop.rotues", "`rotues`", "`routes`", 3),
            (
                "databases:\n  shop:\n    store: s\n    guest:\n      enable: true", "databases.shop.guest.enable", "`enable`", "`enabled`",
                5
            ),
            (
                "databases:\n  shop:\n    store: s\n    limits:\n      documentsize: 1", "databases.shop.limits.documentsize",
                "`documentsize`", "`documentSize`", 5
            ),
            (
                "databases:\n  shop:\n    store: s\n    collections:\n      a.b:\n        sinc: x",
                "databases.shop.collections.a.b.sinc", "`sinc`", "`sync`", 6
            ),
            (
                "databases:\n  shop:\n    store: s\n    routes:\n      - to: a.b\n        whn: {}",
                "databases.shop.routes[1].whn", "`whn`", "`when`", 6
            ),
            (
                "databases:\n  shop:\n    store: s\n    routes:\n      - to: a.b\n        when:\n          idprefix: a",
                "databases.shop.routes[1].when.idprefix", "`idprefix`", "`idPrefix`", 7
            ),
        ])
    func unknownKey(_ text: String, _ path: String, _ key: String, _ nearest: String, _ line: Int) throws {
        let error = try #require(try complaint { try parse(text) })
        let finding = try #require(error.findings.first { $0.code == .unknownKey })
        #expect(finding.path == path)
        #expect(finding.message.contains("unknown key \(key)"))
        #expect(finding.message.contains("nearest known one is \(nearest)"))
        #expect(finding.place.line == line)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let column = try #require(finding.place.column)
        #expect(lines[line - 1].dropFirst(column - 1).hasPrefix(key.dropFirst().dropLast()))
        #expect(finding.description == "line \(line), column \(column): \(path): \(finding.message)")
    }

    @Test("Keys of later versions are reported")
    func futureKeys() throws {
        for key in ["adminAuth", "stages"] {
            #expect(try complaint { try shop("\(key): {}") }?.code == .unknownKey)
        }
    }

    @Test(
        "A duplicate key is refused, with the key",
        arguments: [
            "databases: { shop: { store: s } }\ndatabases: { shop: { store: s } }", "databases: { shop: { store: s, store: t } }",
            "databases: { shop: { store: s }, shop: { store: t } }",
        ])
    func twice(_ text: String) throws {
        let error = try #require(try complaint { try parse(text) })
        #expect(error.message.contains("databases") || error.message.contains("store") || error.message.contains("shop"))
        #expect(error.message.contains("twice"))
    }

    @Test(
        "Values of another type, or out of their range, are refused",
        arguments: [
            ("guest: 1", "databases.shop.guest", "expected a mapping"),
            ("guest: { enabled: maybe }", "databases.shop.guest.enabled", "expected true or false, not `maybe`"),
            ("guest: { enabled: [] }", "databases.shop.guest.enabled", "expected a text"),
            ("guest: { channels: a }", "databases.shop.guest.channels", "expected a list"),
            ("guest: { channels: [[a]] }", "databases.shop.guest.channels[1]", "expected a text"),
            ("conflicts: never", "databases.shop.conflicts", "expected one of `keep`, `resolve`, `refuse`, not `never`"),
            ("departures: loud", "databases.shop.departures", "expected one of `silent`, `notify`, not `loud`"),
            ("defaultCollection: all", "databases.shop.defaultCollection", "expected one of `unified`, `remainder`, `auto`, not `all`"),
            ("limits: { documentSize: 0 }", "databases.shop.limits.documentSize", "expected a size"),
            ("limits: { documentSize: 2GiB }", "databases.shop.limits.documentSize", "expected a size"),
            ("limits: { documentSize: -1 }", "databases.shop.limits.documentSize", "expected a size"),
            ("limits: { documentSize: 20 MiB }", "databases.shop.limits.documentSize", "expected a size"),
            ("limits: { attachmentSize: 2TiB }", "databases.shop.limits.attachmentSize", "expected a size"),
            ("limits: { protectedDepth: 99 }", "databases.shop.limits.protectedDepth", "from 100 to 100000, not `99`"),
            ("limits: { protectionDays: -1 }", "databases.shop.limits.protectionDays", "from 0 to 36500, not `-1`"),
            ("limits: { revisionDepth: 19 }", "databases.shop.limits.revisionDepth", "from 20 to 10000, not `19`"),
            ("limits: { recentBodies: 1.5 }", "databases.shop.limits.recentBodies", "from 0 to 1000, not `1.5`"),
            ("collections: [a.b]", "databases.shop.collections", "expected a mapping"),
            ("collections: { a.b.c: {} }", "databases.shop.collections.a.b.c", "is not a collection"),
            ("collections: { _a.b: {} }", "databases.shop.collections._a.b", "is not a collection"),
            (
                "collections: { a.b: { legacy: gone } }", "databases.shop.collections.a.b.legacy",
                "expected `hidden` or `visible`, not `gone`"
            ),
            ("routes: { to: a.b }", "databases.shop.routes", "expected a list"),
        ])
    func badValue(_ lines: String, _ path: String, _ message: String) throws {
        let error = try #require(try complaint { try shop(lines) })
        #expect(error.code == .badValue)
        #expect(error.path == path)
        #expect(error.message.contains(message), "\(error.message)")
        #expect(error.line == 4)
    }

    @Test(
        "A missing mandatory key is reported",
        arguments: [
            ("databases: { shop: {} }", "`store`"), ("databases: { shop: }", "`store`"),
            ("listen: { tls: { certificate: a } }\ndatabases: { shop: { store: s } }", "`certificate` and `key`"),
        ])
    func missing(_ text: String, _ message: String) throws {
        let error = try #require(try complaint { try parse(text) })
        #expect(error.findings.contains { $0.code == .missingKey && $0.message.contains(message) }, "\(error)")
    }

    @Test("A file without databases is valid for databases of the admin port", arguments: ["listen: {}", "databases: {}", "databases:"])
    func noDatabases(_ text: String) throws {
        #expect(try parse(text).databases.isEmpty)
    }

    @Test(
        "A text that is not YAML, and an empty file, are refused", arguments: ["", "# nothing\n", "a: [", "a: b: c", "\t- a", "a: &x *y"])
    func malformed(_ text: String) throws {
        #expect(try complaint { try parse(text) }?.code == .malformed)
    }

    @Test("A file with a list or a scalar is refused", arguments: ["- a", "shop"])
    func notMapping(_ text: String) throws {
        let error = try #require(try complaint { try parse(text) })
        #expect(error.code == .badValue)
        #expect(error.message.contains("expected a mapping"))
    }

    @Test("A file that does not exist is reported")
    func unreadable() throws {
        let error = try #require(try complaint { try ConfigurationFile.read("/nowhere/dualgauge.yaml") })
        #expect(error.code == .unreadable)
        #expect(error.description.contains("/nowhere/dualgauge.yaml"))
    }

    @Test("Unusable certificates are reported as mistakes of the file")
    func certificates() throws {
        let files = TLSFiles(certificate: "/nowhere/a.pem", key: "/nowhere/a.key")
        let error = try #require(throws: ConfigurationError.self) { _ = try files.load() }
        #expect(error.code == .badFile && error.findings.map(\.path) == ["listen.tls.certificate", "listen.tls.key"])
    }
}
