import Documents
import Foundation
import Gateway
import LegacyTestSupport
import NIOHTTP1
import Testing

@testable import LegacyClient

/// Interruptions, filters and logins. `DUALGAUGE_LEGACY_USER`, a name and a password separated by a colon, also tests logins.
extension RealServerTests {
    private static let user = ProcessInfo.processInfo.environment["DUALGAUGE_LEGACY_USER"]

    private struct Transfer: Hashable {
        let id: String
        let revision: RevisionID
    }

    private func remote(_ change: (inout ReplicationSettings) -> Void = { _ in }) throws -> RemoteDatabase {
        var settings = ReplicationSettings()
        change(&settings)
        return try RemoteDatabase(try RemoteURL(url), settings: settings, limits: ReplicationLimits(), clock: ContinuousClock())
    }

    /// The position in the server's checkpoint.
    private func remoteSequence(_ direction: ReplicationDirection, _ uuid: String) async throws -> String? {
        let id = LegacyCheckpointID(
            localUUID: uuid, direction: direction, settings: ReplicationSettings(), remoteURL: try RemoteURL(url).text)
        let database = try remote()
        let answer = try? await database.json(RemoteRequest("_local/\(id.text)"))
        await database.close()
        return try answer.flatMap { try JSONValue($0)["lastSequence"]?.string }
    }

    /// Replicates until everything is done, and stops each run after some documents.
    ///
    /// - Returns: The transferred revisions, each with its count.
    private func interrupted(
        _ direction: ReplicationDirection, _ bridge: Bridge, _ generator: inout SystemRandomNumberGenerator, of count: Int
    ) async throws -> [Transfer: Int] {
        let uuid = UUID().uuidString
        var transfers: [Transfer: Int] = [:]
        while true {
            let replication = try Replication(direction, localDatabase: bridge.database.unified, remoteURL: url)
            replication.localUUID = uuid
            let notices = replication.notices()
            let counting = Task {
                var all: [Transfer] = []
                for await notice in notices {
                    switch notice {
                    case .change(let change): if change.status == .stopped { return all }
                    case .documents(let batch):
                        all += batch.filter { $0.error == nil }.map { Transfer(id: $0.id, revision: $0.revision) }
                    }
                }
                return all
            }
            let last = Int.random(in: 1...count / 2, using: &generator)
            replication.start()
            let reached = await replication.wait { $0.completedChangesCount >= last || $0.status == .stopped }
            replication.stop()
            let end = await replication.waitUntilStopped()
            #expect(end.lastError == nil)
            let saved = try await replication.savedSequence()
            #expect(try await remoteSequence(direction, uuid) == saved)
            for transfer in await counting.value { transfers[transfer, default: 0] += 1 }
            if reached.status == .stopped { return transfers }
        }
    }

    @Test("A replication that is interrupted at random loses nothing, transfers nothing twice and has equal halves of the checkpoint")
    func interruptions() async throws {
        let run = UUID().uuidString
        let a = try await Bridge(), b = try await Bridge()
        let count = 600
        for number in 0..<count {
            let isDeleted = number % 11 == 0 ? #","_deleted":true"# : ""
            let attachment = Data(repeating: UInt8(number % 251), count: number % 3 == 0 ? 5_000 : 20).base64EncodedString()
            // PouchDB Server drops attachments of tombstones.
            let attachments =
                number % 7 == 0 && number % 11 > 0 ? #","_attachments":{"f":{"content_type":"text/plain","data":"\#(attachment)"}}"# : ""
            try await a.push(#"{"_id":"\#(run)-\#(number)","_rev":"1-a","number":\#(number)\#(isDeleted)\#(attachments)}"#)
        }
        var generator = SystemRandomNumberGenerator()
        let pushed = try await interrupted(.push, a, &generator, of: count)
        #expect(pushed.count == count)
        #expect(pushed.filter { $0.value > 1 } == [:])
        let pulled = try await interrupted(.pull, b, &generator, of: count).filter { $0.key.id.hasPrefix(run) }
        #expect(pulled.count == count)
        #expect(pulled.filter { $0.value > 1 } == [:])
        let (left, right) = (try await leaves(a, run), try await leaves(b, run))
        #expect(left == right && left.count == count)
        let differences = try await differences(a, b, run)
        #expect(differences.isEmpty, "\(differences.count), such as \(differences.prefix(2))")
    }

    /// The revisions of documents, without and with tombstones. A first pull may leave out tombstones.
    private func leaves(_ bridge: Bridge, _ run: String) async throws -> [String: String] {
        var query = ChangesQuery()
        query.limit = 100_000
        let rows = try await bridge.database.unified.changes(query).rows.filter { $0.id.hasPrefix(run) }
        return Dictionary(rows.map { ($0.id, $0.revision) }) { _, last in last }
    }

    @Test("A filter of a design document gets its parameters, and a missing filter is an error")
    func designFilter() async throws {
        let run = UUID().uuidString
        let a = try await Bridge(), b = try await Bridge()
        let database = try remote()
        let source = "function (doc, req) { return doc.run == req.query.run && doc.year == req.query.year; }"
        let design = JSONValue.object([JSONMember("filters", .object([JSONMember("byYear", .string(source))]))])
        var json: [UInt8] = []
        design.append(to: &json)
        let isMade = (try? await database.json(RemoteRequest("_design/\(run)", method: .PUT, json: json))) != nil
        await database.close()
        for year in 2010..<2016 { try await a.push(#"{"_id":"\#(run)-\#(year)","_rev":"1-a","run":"\#(run)","year":\#(year)}"#) }
        let push = try Replication(.push, localDatabase: a.database.unified, remoteURL: url)
        push.start()
        #expect(await push.waitUntilStopped().lastError == nil)
        let pull = try Replication(.pull, localDatabase: b.database.unified, remoteURL: url)
        pull.filter = "\(run)/byYear"
        pull.filterParams = ["run": .string(run), "year": .number("2013")]
        pull.start()
        let end = await pull.waitUntilStopped()
        #expect((end.lastError == nil) == isMade, "\(String(describing: end.lastError))")
        let found = try await leaves(b, run).keys.sorted()
        #expect(found == (isMade ? ["\(run)-2013"] : []))
    }

    @Test("A name and a password create a session, and a wrong password is refused", .enabled(if: user != nil))
    func session() async throws {
        let parts = (Self.user ?? "").split(separator: ":", maxSplits: 1).map(String.init)
        let (name, password) = (try #require(parts.first), try #require(parts.last))
        // Without credentials in the URL.
        let plain = url.replacing(/\/\/[^\/@]*@/, with: "//")
        let run = UUID().uuidString
        let a = try await Bridge(), b = try await Bridge()
        try await a.push(#"{"_id":"\#(run)","_rev":"1-a"}"#)
        for (direction, bridge) in [(ReplicationDirection.push, a), (.pull, b)] {
            let replication = try Replication(direction, localDatabase: bridge.database.unified, remoteURL: plain)
            replication.authenticator = .basicAuthenticator(name: name, password: password)
            replication.start()
            #expect(await replication.waitUntilStopped().lastError == nil)
        }
        #expect(try await leaves(b, run) == [run: "1-a"])
        let wrong = try Replication(.pull, localDatabase: b.database.unified, remoteURL: plain)
        wrong.authenticator = .basicAuthenticator(name: name, password: "\(password)x")
        wrong.start()
        #expect(await wrong.waitUntilStopped().lastError?.code == .unauthorized)
    }
}
