import Documents
import Gateway
import Storage
import Testing

@testable import ModernClient

@Suite("Replication checkpoints")
struct CheckpointValueTests {
    /// The private UUIDs of two databases of LiteCore 3.2.1.
    static let first = Hex.bytes("C84B9B4E02C94ADF9C754620B525CE22")
    static let second = Hex.bytes("DF272B5F787A419E956E5819DE2AAB11")
    static let orders = CollectionName(scope: "sales", name: "orders")
    static let url = "ws://127.0.0.1:4994/coll/_blipsync"

    @Test("IDs equal those that LiteCore 3.2.1 gave the same replications")
    func identifiers() {
        let plain = ModernCheckpointID(database: Self.first, collection: .default, type: .push, remote: "ws://127.0.0.1:4994/db/_blipsync")
        #expect(plain.text == "cp-jctAupePRIbunJ9Gw/Fij4TQFuI=")
        var named = ModernCheckpointID(database: Self.second, collection: Self.orders, type: .push, remote: Self.url)
        #expect(named.text == "cp-r/ExMCckChQ4PqW+IrurVzF+mZQ9rE0n1XtNS/z3Hho=")
        named = ModernCheckpointID(database: Self.second, collection: Self.orders, type: .pushAndPull, remote: Self.url)
        #expect(named.text == "cp-KsRzsgky8TDcDWcFq1Qy9Au5x8rVu21NGR99+pdeKAA=")
        named = ModernCheckpointID(database: Self.second, collection: Self.orders, type: .pull, remote: Self.url, channels: ["all"])
        #expect(named.text == "cp-2ZsePivZNpt/HV8/DVfAKTamLXQgkMULhxGTfGl60kI=")
    }

    @Test("The default collection's ID is the same for push and pull, and a named collection's differs")
    func directions() {
        func texts(_ name: CollectionName) -> Set<String> {
            Set(ReplicatorType.allCases.map { ModernCheckpointID(database: Self.first, collection: name, type: $0, remote: Self.url).text })
        }
        #expect(texts(.default).count == 1)
        #expect(texts(Self.orders).count == 3)
    }

    @Test("The endpoint's URL always contains its port")
    func identities() throws {
        #expect(try URLEndpoint(url: "ws://Example.org/db").identity == "ws://Example.org:80/db/_blipsync")
        #expect(try URLEndpoint(url: "wss://u:p@h/a/db/").identity == "wss://h:443/a/db/_blipsync")
        #expect(try URLEndpoint(url: "ws://h:4984/db").identity == "ws://h:4984/db/_blipsync")
        for wrong in ["http://h/db", "ws:///db", "ws://h", "ws://h/", "nonsense"] {
            #expect(throws: ReplicatorError.self) { try URLEndpoint(url: wrong).identity }
        }
    }

    @Test(
        "A server's checkpoint may contain any number",
        arguments: [
            #"{"local":9223372036854775807}"#, #"{"local":9223372036854775807,"localCompleted":[0,9223372036854775807]}"#,
            #"{"local":-9223372036854775808,"localCompleted":[9223372036854775806,1,9223372036854775807,1,1,9223372036854775807]}"#,
        ])
    func extremes(_ text: String) throws {
        var local = try ReplicationCheckpoint(Array(text.utf8)).local
        local.insert(.max)
        local.remove(.max)
        local.remove(5)
        let checkpoint = ReplicationCheckpoint(local: local, remote: nil)
        #expect(try ReplicationCheckpoint(checkpoint.body(time: 1)).local == local)
        #expect(local.intersection(SequenceSet(through: .max)) == local)
    }

    @Test("A server's error code may be any number", arguments: [Int.min, -1, 0, 404, 4_999, 5_000, Int.max])
    func codes(_ number: Int) {
        #expect(10_000...14_999 ~= ReplicatorError.Code.http(number).rawValue)
        #expect(10_000...14_999 ~= ReplicatorError.Code.webSocket(number).rawValue)
        #expect(5_000...9_999 ~= ReplicatorError.Code.network(number).rawValue)
    }

    @Test(
        "Checkpoint bodies equal LiteCore's",
        arguments: [
            (#"{"time":1,"local":57,"localCompleted":[0,58,60,3],"remote":"100:35"}"#, [0...57, 60...62], #""100:35""#),
            (#"{"time":1,"local":3}"#, [0...3], nil),
            (#"{"time":1,"remote":5}"#, [0...0], "5"),
            (#"{"time":1}"#, [0...0], nil),
            (#"{"time":1,"local":3,"remote":5,"restores":[2,1700000000000]}"#, [0...3], "5"),
        ] as [(String, [ClosedRange<Int64>], String?)])
    func bodies(_ text: String, _ ranges: [ClosedRange<Int64>], _ remote: String?) throws {
        let checkpoint = try ReplicationCheckpoint(Array(text.utf8))
        #expect(checkpoint.local.ranges == ranges)
        #expect(checkpoint.remote == remote)
        #expect(String(decoding: checkpoint.body(time: 1), as: UTF8.self) == text)
    }

    @Test(
        "Malformed bodies are read without a failure",
        arguments: [
            #"{"local":-5,"localCompleted":[5,-1,-3,9,9223372036854775807,9223372036854775807]}"#, #"{"local":"x","localCompleted":[1]}"#,
            "{}",
        ])
    func nonsense(_ text: String) throws {
        #expect(try ReplicationCheckpoint(Array(text.utf8)).local.ranges.first?.lowerBound == 0)
    }

    @Test("A refused revision is missing in the checkpoint, and is offered once more after the server has accepted it")
    func refused() {
        let here = ReplicationCheckpoint(local: SequenceSet(through: 20), remote: "50")
        let there = here.without([5, 9, 30])
        #expect(there.local.ranges == [0...4, 6...8, 10...20])
        #expect(here.reconciled(with: there, refused: [5, 9, 30]) == here)
        #expect(here.reconciled(with: there, refused: [9]).local.ranges == [0...4, 6...20])
        #expect(here.reconciled(with: nil, refused: [5]).local.ranges == [0...0])
    }

    @Test("Nothing counts as pushed if the server's checkpoint is from before another restore")
    func restores() {
        let (first, second) = (RestoreHistory(numbers: [10, 1]), RestoreHistory(numbers: [10, 2]))
        let here = ReplicationCheckpoint(local: SequenceSet(through: 20), remote: "50", restores: second)
        for restores in [first, RestoreHistory()] {
            let there = ReplicationCheckpoint(local: SequenceSet(through: 20), remote: "50", restores: restores)
            let both = here.reconciled(with: there)
            #expect(both.local.ranges == [0...0] && both.remote == "50" && both.restores == second)
            let earlier = ReplicationCheckpoint(local: SequenceSet(through: 8), remote: "50", restores: restores)
            #expect(here.reconciled(with: earlier).local.ranges == [0...0])
        }
        #expect(here.reconciled(with: here) == here)
    }

    @Test("Each half starts at the lower position of both sides")
    func reconciling() {
        let here = ReplicationCheckpoint(local: SequenceSet(ranges: [0...10, 15...20]), remote: "50")
        let there = ReplicationCheckpoint(local: SequenceSet(ranges: [0...12, 18...30]), remote: "40")
        let both = here.reconciled(with: there)
        #expect(both.local.ranges == [0...10, 18...20])
        #expect(both.remote == "40")
        // A server that was restored from a backup has lost both.
        let nothing = here.reconciled(with: nil)
        #expect(nothing.local.ranges == SequenceSet().ranges && nothing.remote == nil)
        // The server's position is beyond the local one, which is used instead.
        let ahead = here.reconciled(with: ReplicationCheckpoint(local: SequenceSet(through: 99), remote: "60"))
        #expect(ahead == here)
        let strange = here.reconciled(with: ReplicationCheckpoint(remote: "{}"))
        #expect(strange.remote == nil)
        #expect(here.merged(with: there, type: .push) == ReplicationCheckpoint(local: here.local, remote: "40"))
        #expect(here.merged(with: there, type: .pull) == ReplicationCheckpoint(local: there.local, remote: "50"))
        #expect(here.merged(with: there, type: .pushAndPull) == here)
    }

    @Test("Sync Gateway's composite sequences are ordered")
    func remoteSequences() throws {
        let ordered = ["1", "\"3:1\"", "3", "\"4::9\"", "\"5:2\"", "\"5:3\"", "5"]
        let values = try ordered.map { try #require(RemoteSequence($0)) }
        for (index, value) in values.enumerated() {
            for later in values[(index + 1)...] { #expect(value < later && !(later < value), "\(value) \(later)") }
        }
        for wrong in ["", "x", "\"1:2:3:4\"", "-1", "\"a:1\"", "\"1:a:1\"", "{}"] { #expect(RemoteSequence(wrong) == nil) }
    }

    @Test("A set of sequences equals a set of numbers under random operations")
    func sequenceSets() {
        for seed in 0..<200 {
            var generator = SplitMix(seed: UInt64(seed))
            var set = SequenceSet(), model: Set<Int64> = [0]
            for _ in 0..<60 {
                let lower = Int64.random(in: 0...60, using: &generator), upper = lower + Int64.random(in: 0...8, using: &generator)
                if Bool.random(using: &generator) {
                    set.insert(lower...upper)
                    model.formUnion(lower...upper)
                } else if lower > 0 {
                    set.remove(lower)
                    model.remove(lower)
                }
            }
            #expect(Set(set.ranges.flatMap { Array($0) }) == model, "seed \(seed)")
            #expect((0...80).allSatisfy { set.contains($0) == model.contains($0) }, "seed \(seed)")
            #expect(zip(set.ranges, set.ranges.dropFirst()).allSatisfy { $0.upperBound + 1 < $1.lowerBound }, "seed \(seed)")
            #expect(set.intersection(set) == set)
        }
    }

    @Test("The remote checkpoint is the sequence before the first unfinished row, in any order of completion")
    func remoteProgress() {
        for seed in 0..<300 {
            var generator = SplitMix(seed: UInt64(seed))
            var progress = RemoteProgress(checkpoint: "0")
            var rows: [(sequence: String, isDone: Bool)] = []
            for number in 1...400 {
                if Int.random(in: 0..<3, using: &generator) > 0 {
                    let isDone = Bool.random(using: &generator)
                    progress.add(String(number), isDone: isDone)
                    rows.append((String(number), isDone))
                } else if let open = rows.indices.filter({ !rows[$0].isDone }).randomElement(using: &generator) {
                    progress.finish(rows[open].sequence)
                    rows[open].isDone = true
                }
                let first = rows.firstIndex { !$0.isDone } ?? rows.count
                #expect(progress.checkpoint == (first == 0 ? "0" : rows[first - 1].sequence), "seed \(seed)")
                #expect(progress.pending == rows.count { !$0.isDone }, "seed \(seed)")
            }
        }
    }

    @Test("Rows that are repeated, out of order, quoted or missing give the right checkpoint")
    func oddRows() {
        var progress = RemoteProgress(checkpoint: nil)
        progress.add("\"5:3\"", isDone: false)
        progress.add("\"5:3\"", isDone: false)
        progress.add("2", isDone: false)
        progress.finish("5:3")
        #expect(progress.checkpoint == nil)
        progress.finish("\"5:3\"")
        #expect(progress.checkpoint == "\"5:3\"")
        progress.abandon("2")
        #expect(progress.pending == 0)
        progress.add("9", isDone: false)
        progress.finish("9")
        progress.finish("9")
        progress.finish("unheard of")
        #expect(progress.checkpoint == "\"5:3\"")
    }
}

enum Hex {
    static func bytes(_ text: String) -> [UInt8] {
        stride(from: 0, to: text.count, by: 2).compactMap { offset in
            let start = text.index(text.startIndex, offsetBy: offset)
            return UInt8(text[start..<text.index(start, offsetBy: 2)], radix: 16)
        }
    }
}

/// Numbers from a seed.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
