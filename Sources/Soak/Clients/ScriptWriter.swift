import AsyncHTTPClient
import Coordination
import Documents
import NIOCore
import NIOHTTP1

/// A script that writes documents with `PUT` one after the other, as fast as possible. The bridge generates the revision IDs.
actor ScriptWriter: SoakClient {
    nonisolated let name = "PUT"
    private let world: World
    private let wire: HTTPWire
    private let prefix: String
    private let channels: [String]

    /// The last known edit numbers and revisions of the documents.
    private var numbers: [Int]
    private var revisions: [String?]
    private var next = 0

    init(_ world: World, _ account: SoakAccount, _ prefix: String, channels: [String], count: Int) {
        self.world = world
        self.prefix = prefix
        self.channels = channels
        wire = HTTPWire(client: world.http(), base: world.url, credentials: account.credentials)
        numbers = Array(repeating: 0, count: count)
        revisions = Array(repeating: nil, count: count)
    }

    func live() async throws {
        // The last edit may have been stored although its response was lost.
        if world.isWriting { try await look() }
        while world.isWriting {
            try await write()
            next = (next + 1) % numbers.count
        }
        try await suspend(for: .seconds(1))
    }

    private var id: String { "\(prefix)-\(next)" }

    private func write() async throws {
        let number = numbers[next] + 1
        let channel = channels[next % channels.count]
        world.ledger.send(id, number)
        let path = revisions[next].map { "\(id)?rev=\($0)" } ?? id
        let answer = try await wire.send(.PUT, path, #"{"type":"note","n":\#(number),"channels":["\#(channel)"]}"#)
        world.ledger.acknowledge(id, number)
        numbers[next] = number
        revisions[next] = answer["rev"]?.string
    }

    private func look() async throws {
        let response = try await wire.open(.GET, id, timeout: .seconds(60))
        let bytes = try await response.body.collect(upTo: 1 << 20)
        switch response.status {
        case .ok:
            let document = try JSONValue(Array(buffer: bytes))
            numbers[next] = document["n"]?.int ?? numbers[next]
            revisions[next] = document["_rev"]?.string
        case .notFound where numbers[next] == 0: break
        default: throw SoakError("a document is answered with \(response.status.code)")
        }
    }
}
