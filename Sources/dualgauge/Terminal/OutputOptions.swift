import ArgumentParser
import BridgeConfiguration
import Foundation
import Logging
import Server

/// Options of every command.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object on standard output in place of tables.")
    var json = false

    @Flag(help: "No progress, and only errors in the log.")
    var quiet = false

    @Flag(help: "More in the log.")
    var verbose = false

    var logLevel: Logger.Level { verbose ? .debug : quiet ? .error : .info }

    /// The log level from the options; `nil` without such an option.
    var givenLevel: Logger.Level? { verbose || quiet ? logLevel : nil }

    /// A log on standard error.
    static func log(_ settings: LogSettings) -> LogControl {
        LogControl(settings) { StandardStream.errors.write($0 + "\n") }
    }

    /// A logger on standard error. Standard output is for results.
    func logger(_ label: String) -> Logger {
        Self.log(LogSettings(level: logLevel)).logger(label)
    }
}

/// Standard output or standard error. A reader that closes the pipe early, such as `head`, is not an error.
struct StandardStream: Sendable {
    static let output = StandardStream(descriptor: STDOUT_FILENO)
    static let errors = StandardStream(descriptor: STDERR_FILENO)

    private let descriptor: Int32

    /// Ignores SIGPIPE, so that writing to a closed pipe does not end the process.
    static func ignoreClosedPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// - Returns: Whether the text was written. It is not if the reader is gone or the disk is full.
    @discardableResult
    func write(_ bytes: some Collection<UInt8>) -> Bool {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&waiting, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    @discardableResult
    func write(_ text: String) -> Bool { write(text.utf8) }
}

/// Prints results for programs: one JSON object on standard output.
enum JSONOutput {
    static func print(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        StandardStream.output.write(try encoder.encode(value) + Data("\n".utf8))
    }
}
