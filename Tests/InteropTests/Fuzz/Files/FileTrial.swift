import Foundation
import TestSupport

/// One damaged configuration, store, dump or command line, and the programs that read it.
struct FileTrial {
    let number: Int
    let base: TrialBase
    let folder: TrialFolder
    var maker: Maker

    init(_ number: Int, _ base: TrialBase) throws {
        self.number = number
        self.base = base
        folder = try TrialFolder()
        maker = Maker(random: FuzzSettings.random(number))
        maker.wildness = 4
    }

    /// - Returns: The faults of the programs.
    mutating func play() async -> FuzzBreach? {
        do {
            switch number % 4 {
            case 0: try await playConfiguration()
            case 1: try await playStore()
            case 2: try await playDump()
            default: try await playCommandLine()
            }
            return nil
        } catch let fault as FuzzFault {
            return FuzzBreach(origin: "FILE=\(number)", what: fault.what, exchange: fault.exchange)
        } catch {
            return FuzzBreach(origin: "FILE=\(number)", what: "\(error)")
        }
    }

    /// - Parameter input: The damaged input.
    func check(_ end: TrialFolder.End, of input: [UInt8], codes: Set<Int32> = [0, 1, 2, 3, 4]) throws {
        if let fault = end.fault(codes: codes) { throw FuzzFault(fault, sent: input, answered: end.description) }
    }
}

/// The intact files, to be damaged.
struct TrialBase: Sendable {
    /// The documents of ``store``.
    static let count = 60

    /// A store with documents, tombstones, conflicts and attachments.
    let store: String
    let commands: CommandTree
    private let folder: TrialFolder

    init() async throws {
        folder = try TrialFolder()
        let dump = try folder.write(Self.dump, to: "base.jsonl")
        store = "\(folder.path)/base.dualgauge"
        let end = try await folder.run(["migrate", "--from", dump, "--to", store])
        guard end.code == 0 else { throw FuzzFault("the base cannot be made", sent: [], answered: end.description) }
        let configuration = try folder.write(Array((FileTrial.head + FileTrial.tail).utf8), to: "good.yaml")
        let check = try await folder.run(["config", "check", configuration])
        guard check.code == 0 else { throw FuzzFault("the configuration is not valid", sent: [], answered: check.description) }
        commands = try CommandTree(try await folder.run(["--experimental-dump-help"]).output)
    }

    /// Documents as CouchDB's tools write them, one on each line.
    static let dump = Array(
        (0..<count).map { number in
            let attachment = number % 5 == 0 ? #","_attachments":{"a":{"content_type":"text/plain","data":"aGVsbG8="}}"# : ""
            return
                #"{"_id":"d\#(number)","_rev":"2-b\#(number)","_revisions":{"start":2,"ids":["b\#(number)","a"]},"n":\#(number)\#(attachment)}"#
        }.joined(separator: "\n").utf8)
}

/// Runs trials, some concurrently.
enum FileTrials {
    /// - Returns: The faults.
    static func play(_ numbers: Range<Int>) async throws -> [FuzzBreach] {
        let base = try await TrialBase()
        return try await withThrowingTaskGroup(of: FuzzBreach?.self) { group in
            var breaches: [FuzzBreach] = []
            var rest = numbers
            func begin() {
                guard let number = rest.popFirst() else { return }
                group.addTask {
                    var trial = try FileTrial(number, base)
                    return await trial.play()
                }
            }
            for _ in 0..<4 { begin() }
            while let breach = try await group.next() {
                if let breach { breaches.append(breach) }
                if breaches.count < 8 { begin() }
            }
            return breaches
        }
    }
}
