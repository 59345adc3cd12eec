import Documents

/// What happened, line by line. Two runs of a seed have the same.
struct Trace: Hashable, Sendable {
    private(set) var lines: [String] = []

    mutating func note(_ line: String) { lines.append(line) }

    /// Names the trace.
    var digest: String { AttachmentDigest.sha1(of: Array(lines.joined(separator: "\n").utf8)).description }
}
