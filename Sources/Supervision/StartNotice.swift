/// What a supervised process tells its supervisor: a line of text each.
enum StartNotice: Hashable {
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
