/// Reads a program's output line by line.
actor LineReader {
    struct Ended: Error {
        let output: String
    }

    private let pieces: AsyncStream<String>
    private var output = ""
    private var rest: Substring = ""

    init(_ pieces: AsyncStream<String>) {
        self.pieces = pieces
    }

    /// The next whole line that meets a condition; earlier lines are skipped.
    ///
    /// - Throws: ``Ended``, with all lines.
    func line(where condition: @Sendable (Substring) -> Bool) async throws -> String {
        while true {
            while let end = rest.firstIndex(of: "\n") {
                let line = rest[..<end]
                rest = rest[rest.index(after: end)...]
                if condition(line) { return String(line) }
            }
            guard let piece = await pieces.first(where: { _ in true }) else { throw Ended(output: output) }
            output += piece
            rest += piece
        }
    }
}
