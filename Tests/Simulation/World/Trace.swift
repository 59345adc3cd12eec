import Documents

/// The events, line by line. Two runs of a seed have the same trace.
struct Trace: Hashable, Sendable {
    private(set) var lines: [String] = []

    mutating func record(_ line: String) { lines.append(line) }

    /// A digest of the trace.
    var digest: String { AttachmentDigest.sha1(of: Array(lines.joined(separator: "\n").utf8)).description }
}
