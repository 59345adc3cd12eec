import Foundation
import Synchronization

/// A command that runs until it is interrupted, and whose output is read meanwhile.
actor RunningCommand {
    struct Ended: Error {
        let output: String
    }

    private let process: Process
    private let pieces: AsyncStream<String>
    private let codes: AsyncStream<Int32>
    private var output = ""

    init(_ arguments: String...) throws {
        let process = Process()
        let out = Pipe()
        process.executableURL = URL(fileURLWithPath: try Program.path())
        process.arguments = arguments
        process.standardOutput = out
        process.standardError = FileHandle.nullDevice
        let (codes, code) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = {
            code.yield($0.terminationStatus)
            code.finish()
        }
        let (pieces, piece) = AsyncStream.makeStream(of: String.self)
        out.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty {
                handle.readabilityHandler = nil
                piece.finish()
            } else {
                piece.yield(String(decoding: data, as: UTF8.self))
            }
        }
        try process.run()
        self.process = process
        self.pieces = pieces
        self.codes = codes
    }

    deinit {
        if process.isRunning { process.terminate() }
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

    /// As Ctrl-C does.
    func interrupt() {
        process.interrupt()
    }

    /// Waits for the end.
    ///
    /// - Returns: The exit code, and all output.
    func end() async -> (code: Int32, output: String) {
        for await piece in pieces { output += piece }
        for await code in codes { return (code, output) }
        return (process.terminationStatus, output)
    }
}
