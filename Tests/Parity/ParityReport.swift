import Foundation

/// The results of a run of many histories.
actor ParityReport {
    private(set) var failures: [UInt64] = []
    private let recording: String?
    private let shrunk: Int

    init(_ settings: ParitySettings) {
        recording = settings.recording
        shrunk = settings.shrunk
    }

    /// - Returns: whether the history should be reduced.
    func fails(_ seed: UInt64) -> Bool {
        failures.append(seed)
        return failures.count <= shrunk
    }

    /// A history could not be played to its end.
    func breaksOff(_ seed: UInt64, _ error: any Error) {
        failures.append(seed)
        print("Seed \(seed) breaks off: \(error)")
    }

    func write(_ text: String) { print(text) }

    /// Adds a recording to the file.
    func record(_ made: Recording) throws {
        guard let recording else { return }
        if !FileManager.default.fileExists(atPath: recording) { try Data().write(to: URL(fileURLWithPath: recording)) }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: recording))
        try file.seekToEnd()
        try file.write(contentsOf: Data((made.text + "\n").utf8))
        try file.close()
    }
}
