import BridgeConfiguration
import Documents
import Foundation
import Server
import TestSupport

extension FileTrial {
    /// The part that is never damaged: the trial sets the addresses and paths of a bridge.
    static let head = """
        listen: { public: "127.0.0.1:0", admin: "127.0.0.1:0" }
        databasesFolder: databases
        databases:
          shop:
            store: shop.dualgauge

        """

    /// The rest of a configuration, with as many keys as possible.
    static let tail = """
            guest: { enabled: true, channels: ["*"] }
            sessions: { cookieName: Shop, ttl: 24h, secure: false }
            passwords: { cost: 10, allowEmpty: false }
            wwwAuthenticate: true
            cors: { origins: ["https://app.example.com"], loginOrigins: [], headers: [Authorization], maxAge: 60s }
            collections:
              "_default._default":
                sync: |
                  function (doc, oldDoc) {
                    channel(doc.channels);
                  }
              sales.orders: { sync: "function (doc) { channel('a') }", legacy: visible }
              sales.named: {}
              app.data: { legacy: hidden }
            routes:
              - { to: sales.orders, when: { property: type, equals: order } }
              - { to: sales.named, when: { idPrefix: "o:" }, stripPrefix: true }
              - { to: app.data, when: { idPattern: "^x[0-9]+$" } }
              - { to: sales.orders, when: { channel: orders } }
              - { to: app.data, when: { javascript: "function (doc) { return doc.price !== undefined }" } }
            defaultCollection: auto
            conflicts: { javascript: "function (conflict) { return conflict.localDocument }" }
            departures: notify
            deltaSync: true
            allowFlush: false
            filters: { ours: "function (doc, req) { return doc.n > 1 }" }
            limits: { documentSize: 20MiB, attachmentSize: 1GiB, revisionDepth: 100, protectedDepth: 1000, protectionDays: 400, recentBodies: 3 }
            users:
              anna: { passwordHash: "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", channels: [a], roles: [staff], email: a@example.com }
              bert: { password: secret, collections: { sales.orders: [b] }, enabled: false }
            roles: { staff: { channels: [b] } }
            authenticators:
              facebook: { appID: "1", graphURL: "http://127.0.0.1:1", register: true }
              oidc: { issuer: "http://127.0.0.1:1", clientID: x, clockSkew: 60s }
              limits: { connectTimeout: 5s, timeout: 10s, responseSize: 1MiB, concurrency: 32 }
            replications:
              r1: { remote: "http://127.0.0.1:1/x", direction: pull, heartbeat: 30s, maxAttempts: 2, maxAttemptWait: 5s, channels: [a] }
              r2: { remote: "ws://127.0.0.1:1/x", continuous: true, collections: { sales.orders: sales.orders }, resolver: default }
        limits: { requestSize: 64MiB, documents: 10000, openFeeds: 1000, requestRate: 100000, connections: 10000, memory: 256MiB }
        logging: { level: info, format: text, redaction: marked, domains: { HTTP: warning } }
        adminAuth:
          users:
            root: { role: administrator, passwordHash: "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW" }

        """

    /// Values that only YAML has.
    private static let values = [
        "&a [*a]", "*nowhere", "!!binary x", "!!int \"x\"", "!<tag:x> y", "? x", "|", ">-", "'", "\"", "{", "[", "- -", "@", "`", "%",
        "---", "...", "~", "yes",
        "2026-11-23", "1:30", "0b11", "0o7", ".inf", ".nan", "${HOME}", "${NOT_THERE}", "$${", "${", "<<: {}", "\t",
        "{ a: { b: [ { c: } ] } }", "99999999999999999999GiB",
        "9223372036854775807B", "-1s", "1e9s", "106751991d", "0s", "http://127.0.0.1:99999/x", "http://127.0.0.1:65536", "[::1]:65536",
        "\"\\ud800\"", "\"\\0\"",
        String(repeating: "[", count: 5_000), String(repeating: "{ a: ", count: 2_000), String(repeating: "- ", count: 3_000),
        "function (doc) {", "function (doc) { while (true) {} }",
    ]

    mutating func playConfiguration() async throws {
        let text = Array(Self.head.utf8) + damagedTail()
        let file = try folder.write(text, to: "dualgauge.yaml")
        let check = try await folder.run(["config", "check", file])
        try self.check(check, of: text, codes: [0, 2])
        // A configuration that the check accepts has to start; one that it refuses has to be refused.
        guard maker.random.once(in: 2), Self.staysHere(text) else { return }
        guard check.code == 0 else {
            let served = try await folder.run(["serve", "--config", file])
            try self.check(served, of: text, codes: [2])
            return
        }
        let bridge: FuzzedBridge
        do {
            bridge = try await FuzzedBridge(configurationAt: file)
        } catch let error as FuzzedBridge.NotServing {
            throw FuzzFault("`config check` lets it pass, and `serve` does not start", sent: text, answered: error.log)
        }
        let answer = try await RawSocket(port: bridge.port(.public)).ask("GET", "/shop/")
        let troubles = try await bridge.stop([])
        guard [200, 401, 429, 503].contains(answer.status), troubles.isEmpty else {
            throw FuzzFault("the status \(answer.status), \(troubles)", sent: text, answered: answer.head + answer.text)
        }
    }

    private mutating func damagedTail() -> [UInt8] {
        var lines = Self.tail.split(separator: "\n", omittingEmptySubsequences: false).map { Array($0.utf8) }
        for _ in 0..<maker.random.number(1...3) {
            let index = maker.random.number(0...(lines.count - 1))
            switch maker.random.number(0...6) {
            case 0: maker.damage(&lines[index])
            case 1: lines.remove(at: index)
            case 2: lines.insert(lines[index], at: index)
            case 3: lines[index].insert(contentsOf: Array(maker.random.pick([" ", "  ", "\t", "- "]).utf8), at: 0)
            default: lines[index] = withValue(lines[index])
            }
            if lines.isEmpty { lines = [[]] }
        }
        return Array(lines.joined(separator: [0x0a]))
    }

    /// A line with another value in place of its own.
    private mutating func withValue(_ line: [UInt8]) -> [UInt8] {
        let colons = line.indices.filter { line[$0] == 0x3a && $0 + 1 < line.count && line[$0 + 1] == 0x20 }
        guard !colons.isEmpty else { return line }
        let start = maker.random.pick(colons) + 2
        let end = line[start...].firstIndex { $0 == 0x2c || $0 == 0x7d } ?? line.count
        let value =
            switch maker.random.number(0...3) {
            case 0: Array(maker.random.pick(Boundaries.numbers).utf8)
            case 1: Array("\"".utf8) + maker.random.pick(Boundaries.texts) + Array("\"".utf8)
            default: Array(maker.random.pick(Self.values).utf8)
            }
        return Array(line[..<start]) + value + Array(line[max(start, end)...])
    }

    /// Whether each address is on this machine: no traffic of a run leaves it.
    private static func staysHere(_ text: [UInt8]) -> Bool {
        let text = String(decoding: text, as: UTF8.self)
        let addresses = text.ranges(of: "://").map { text[$0.upperBound...].prefix(10) }
        return addresses.allSatisfy { $0.hasPrefix("127.0.0.1") || $0.hasPrefix("app.exampl") || $0.hasPrefix("[::1]") }
    }
}
