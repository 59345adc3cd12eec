import BridgeConfiguration
import Coordination
import Cutover
import Documents
import Foundation
import Gateway
import HTTP
import LegacyClient
import LocalStore
import TestSupport
import Testing

@Suite("A fleet that writes all the time while it is moved", .timeLimit(.minutes(5)))
struct FleetMoveTests {
    /// A user's device with two continuous replications.
    private final class Device: Sendable {
        let name: String
        private let local: LocalDatabase
        private let replications: [Replication]
        private let written = Lock(0)

        init(_ name: String, _ url: String, in folder: TemporaryFolder) async throws {
            self.name = name
            local = try await LocalDatabase(path: "\(folder.path)/\(name).dualgauge")
            replications = [try local.createPullReplication(url), try local.createPushReplication(url)]
            for replication in replications {
                replication.continuous = true
                replication.authenticator = .basicAuthenticator(name: name, password: "secret")
                replication.start()
            }
        }

        private var keyspace: Keyspace { replications[0].localDatabase }

        func write() async throws {
            let number = written.withLock { count in
                count += 1
                return count
            }
            let body = Array(#"{"channels":["all"],"number":\#(number)}"#.utf8)
            _ = try await keyspace.write(
                RevisionWrite(id: "\(name)-\(number)", kind: .edit(parent: nil), isDeleted: false, body: body))
        }

        /// The leaves of every document, by ID.
        func leaves() async throws -> [String: Set<String>] {
            var query = ChangesQuery()
            query.limit = 100_000
            query.allLeaves = true
            let rows = try await keyspace.changes(query).rows
            return Dictionary(rows.map { ($0.id, Set([$0.revision] + $0.otherLeaves)) }) { $1 }
        }

        func stop() async throws {
            for replication in replications { replication.stop() }
            for replication in replications { _ = await replication.waitUntilStopped() }
            try await local.close()
        }
    }

    /// `DUALGAUGE_FLEET` is another number of devices.
    @Test("0, 50, 100, 20, 100 and 0 percent: no document is lost, no feed is read anew here, no conflict, no login is refused")
    func percentages() async throws {
        let folder = try TemporaryFolder()
        try await CutoverWorld.run {
            $0.firstStage = .dual
            $0.devices = DevicesConfiguration()
        } _: { world in
            let count = ProcessInfo.processInfo.environment["DUALGAUGE_FLEET"].flatMap { Int($0) } ?? 8
            let names = (0..<count).map { "u\($0)" }
            for name in names {
                let account = #"{"password":"secret","admin_channels":["all"]}"#
                #expect(try await world.old.admin("PUT", "/shop/_user/\(name)", account).status == 201)
            }
            let url = "http://127.0.0.1:\(world.new.port)/shop"
            var devices: [Device] = []
            for name in names { devices.append(try await Device(name, url, in: folder)) }
            let fleet = devices
            let isOver = StopSignal()
            async let writing: Void = withThrowingTaskGroup(of: Void.self) { group in
                for device in fleet {
                    group.addTask {
                        while !isOver.isRaised {
                            try await device.write()
                            // The pace of a person's edits, so that each move meets some of them.
                            try await Task.sleep(for: .milliseconds(150))
                        }
                    }
                }
                try await group.waitForAll()
            }
            for percent in [0, 50, 100, 20, 100, 0] {
                // Moving back waits until the old server has everything.
                try await eventually {
                    try await world.new.admin("POST", "/shop/_cutover/devices", #"{"percent":\#(percent)}"#).status == 200
                }
                let before = try await CutoverWorld.leaves(of: world.old).count
                try await eventually { try await CutoverWorld.leaves(of: world.old).count >= before + names.count }
            }
            isOver.raise()
            try await writing
            try await eventually {
                let there = try await CutoverWorld.leaves(of: world.old)
                guard try await CutoverWorld.leaves(of: world.new) == there else { return false }
                for device in fleet where try await device.leaves() != there { return false }
                return true
            }
            let leaves = try await CutoverWorld.leaves(of: world.old)
            #expect(leaves.values.allSatisfy { $0.count == 1 })
            let groups = try #require(try await world.new.admin("GET", "/shop/_cutover/devices").json["groups"])
            for side in DeviceSide.allCases {
                let group = try #require(groups[side.rawValue])
                #expect(group["errors"]?["unauthorized"]?.int == 0 && group["conflicts"]?.int == 0, "\(group)")
                #expect(group["refused"]?.int == 0 && (group["received"]?.int ?? 0) > 0, "\(group)")
            }
            #expect(groups["here"]?["rescans"]?.int == 0, "\(groups)")
            for device in fleet { try await device.stop() }
        }
    }
}
