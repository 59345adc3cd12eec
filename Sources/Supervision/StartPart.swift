/// A part of a start that may end the process again and again: a database, or a replication.
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

    /// Reads what ``description`` gives.
    init?(_ text: some StringProtocol) {
        let words = text.split(separator: " ", maxSplits: 1)
        guard words.count == 2, let kind = Kind(rawValue: String(words[0])) else { return nil }
        self.init(kind, String(words[1]))
    }

    package var description: String { "\(kind.rawValue) \(name)" }
}

/// Finds the part of a start that ends the process.
///
/// A part is open from its beginning until it is settled. Parts that were open when a fault ended the process are suspects: with the next
/// start they are begun one at a time. The second fault in a row during the same part holds it back.
struct StartFaultTracker {
    /// How many faults in a row hold a part back.
    static let most = 2

    /// How many parts are remembered: names come from clients of the admin port.
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

    /// Parts that are not to be started.
    var held: Set<StartPart> { Set(faults.filter { $0.value >= Self.most }.keys) }

    /// Parts that are to be started one at a time.
    var suspects: Set<StartPart> { Set(faults.filter { $0.value < Self.most }.keys) }
}

/// What a supervised process tells its supervisor: a line of text each.
enum StartMessage: Hashable {
    case begin(StartPart)
    case settle(StartPart)
    /// Both ports are served.
    case serving
    /// The process does its work: it has found a thread for this.
    case alive

    /// Longer lines are passed over.
    static let longest = 1_024

    init?(line: some StringProtocol) {
        guard line.utf8.count <= Self.longest else { return nil }
        if line == "serving" || line == "alive" {
            self = line == "alive" ? .alive : .serving
            return
        }
        let words = line.split(separator: " ", maxSplits: 1)
        guard words.count == 2, let part = StartPart(words[1]) else { return nil }
        switch words[0] {
        case "begin": self = .begin(part)
        case "settle": self = .settle(part)
        default: return nil
        }
    }

    var line: String {
        switch self {
        case .begin(let part): "begin \(part)\n"
        case .settle(let part): "settle \(part)\n"
        case .serving: "serving\n"
        case .alive: "alive\n"
        }
    }
}
