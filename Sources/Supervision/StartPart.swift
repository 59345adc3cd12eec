/// A part of a start that may crash the process repeatedly: a database or a replication.
package struct StartPart: Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Sendable {
        case database
        case replication
    }

    package let kind: Kind

    /// The database's name, or `database/replication`.
    package let name: String

    package init(_ kind: Kind, _ name: String) {
        self.kind = kind
        self.name = name
    }

    /// Parses ``description``.
    init?(_ text: some StringProtocol) {
        let words = text.split(separator: " ", maxSplits: 1)
        guard words.count == 2, let kind = Kind(rawValue: String(words[0])) else { return nil }
        self.init(kind, String(words[1]))
    }

    package var description: String { "\(kind.rawValue) \(name)" }
}

/// Finds the part of a start that crashes the process.
///
/// A part is open from its begin until it is finished. Parts that are open when a fault ends the process are suspects; the next start begins them
/// one at a time. After a second consecutive fault, a part is held back.
struct StartFaultTracker {
    /// The number of consecutive faults after which a part is held back.
    static let most = 2

    /// The most parts that are tracked. The limit is necessary because clients of the admin port choose the names.
    static let capacity = 10_000

    private var open: Set<StartPart> = []
    private var faults: [StartPart: Int] = [:]

    mutating func begin(_ part: StartPart) {
        guard open.count < Self.capacity else { return }
        open.insert(part)
    }

    mutating func settle(_ part: StartPart) {
        open.remove(part)
        faults[part] = nil
    }

    mutating func end(_ ending: Ending) {
        if ending.isFault, faults.count < Self.capacity {
            for part in open { faults[part, default: 0] += 1 }
        }
        open = []
    }

    /// Parts that a start skips.
    var held: Set<StartPart> { Set(faults.filter { $0.value >= Self.most }.keys) }

    /// Parts that a start begins one at a time.
    var suspects: Set<StartPart> { Set(faults.filter { $0.value < Self.most }.keys) }
}

/// A message from a supervised process to its supervisor: one line of text.
enum StartMessage: Hashable {
    case begin(StartPart)
    case settle(StartPart)
    /// Both ports are served.
    case serving
    /// The process is alive: its thread pool still runs tasks.
    case alive
    /// The process was asked to stop, and serves on for a number of seconds before.
    case draining(Int)

    /// The most seconds of ``draining(_:)``; a greater number is ignored.
    static let longestDrain = 3_600

    /// The size limit of a line in bytes; longer lines are ignored.
    static let longest = 1_024

    init?(line: some StringProtocol) {
        guard line.utf8.count <= Self.longest else { return nil }
        if line == "serving" || line == "alive" {
            self = line == "alive" ? .alive : .serving
            return
        }
        let words = line.split(separator: " ", maxSplits: 1)
        guard words.count == 2 else { return nil }
        switch (words[0], StartPart(words[1]), Int(words[1])) {
        case ("begin", let part?, _): self = .begin(part)
        case ("settle", let part?, _): self = .settle(part)
        case ("draining", _, let seconds?) where 0...Self.longestDrain ~= seconds: self = .draining(seconds)
        default: return nil
        }
    }

    var line: String {
        switch self {
        case .begin(let part): "begin \(part)\n"
        case .settle(let part): "settle \(part)\n"
        case .serving: "serving\n"
        case .alive: "alive\n"
        case .draining(let seconds): "draining \(seconds)\n"
        }
    }
}
