import Foundation
import Soak

/// A command that runs until it is interrupted, and whose output is read meanwhile.
actor RunningCommand {
    struct Ended: Error {
        let output: String
    }

    private let process: ChildProcess
    private let pieces: AsyncStream<String>
    private let ended: Task<Int32, Never>
    private var output = ""

    init(_ arguments: String...) throws {
        let out = try ChildOutput()
        let process = try ChildProcess(try Program.path(), arguments, output: out.writing, errors: .nullDevice)
        try out.writing.close()
        self.process = process
        pieces = out.texts
        ended = Task { await process.end() }
    }

    /// Waits until the output has a text in it.
    func wait(for text: String) async throws {
        if output.contains(text) { return }
        for await piece in pieces {
            output += piece
            if output.contains(text) { return }
        }
        throw Ended(output: output)
    }

    /// Sends the signal of Ctrl-C.
    func interrupt() {
        kill(process.id, SIGINT)
    }

    /// Waits for the end.
    ///
    /// - Returns: The exit code, and all output.
    func end() async -> (code: Int32, output: String) {
        for await piece in pieces { output += piece }
        return (await ended.value, output)
    }
}
