import BridgeConfiguration
import Foundation
import Logging
import ReplicationService
import Synchronization

/// The record of what was changed on the admin port, and of who was refused: a file of JSON lines, or else lines of the log.
final class AuditLog: Sendable {
    /// How many lines about strangers are written at once, and how many a second from then on: whoever is not let in must not fill the disk.
    private static let burst = 100.0
    private static let rate = 1.0

    private struct State {
        var file: AuditFile?
        var hasFailed = false

        /// The lines about strangers that may be written now, as of `time`.
        var strangers = AuditLog.burst
        var time = ContinuousClock.now
        var omitted = 0
    }

    private let logger: Logger
    private let state: Mutex<State>

    /// - Parameter path: the file; `nil` for the log.
    /// - Throws: ``ConfigurationError`` if the file cannot be opened.
    init(file path: String?, logger: Logger) throws {
        self.logger = logger
        state = Mutex(State(file: try path.map { try AuditFile($0) }))
    }

    /// Opens the file anew, which may have been moved away, or another one.
    ///
    /// - Throws: ``ConfigurationError``; the old file stays in use then.
    func reopen(_ path: String?) throws {
        let file = try path.map { try AuditFile($0) }
        state.withLock { state in
            state.file = file
            state.hasFailed = false
        }
    }

    /// Opens the file of now anew.
    func reopen() throws {
        guard let path = state.withLock({ $0.file?.path }) else { return }
        try reopen(path)
    }

    /// Writes a line.
    ///
    /// - Parameter isStranger: whether it is about somebody who was not let in. There are bounds to such lines; the next one tells how many were left
    ///   out.
    func note(_ entry: AuditEntry, isStranger: Bool = false) {
        var entry = entry
        let failure = state.withLock { state -> (any Error)?? in
            guard !isStranger || Self.takes(&state) else { return .none }
            if isStranger { (entry.omitted, state.omitted) = (state.omitted, 0) }
            do {
                guard let file = state.file else { return .some(nil) }
                try file.write(entry.json + [UInt8(ascii: "\n")])
                state.hasFailed = false
                return .none
            } catch {
                defer { state.hasFailed = true }
                return .some(state.hasFailed ? nil : error)
            }
        }
        guard let failure else { return }
        if let failure {
            logger.error("the audit log cannot be written; its lines stand here meanwhile", metadata: ["error": "\(failure)"])
        }
        logger.notice("audit", metadata: entry.metadata)
    }

    private static func takes(_ state: inout State) -> Bool {
        let now = ContinuousClock.now
        state.strangers = min(burst, state.strangers + rate * ((now - state.time) / .seconds(1)))
        state.time = now
        guard state.strangers >= 1 else {
            state.omitted += 1
            return false
        }
        state.strangers -= 1
        return true
    }
}

/// A file that lines are added to. Only its owner can read a new one.
final class AuditFile: Sendable {
    let path: String
    private let descriptor: Int32

    /// - Throws: ``ConfigurationError`` if it cannot be opened for writing.
    init(_ path: String) throws {
        self.path = path
        descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw ConfigurationError(
                .badValue, at: "audit.file",
                "\(path) cannot be written (\(String(cString: strerror(errno)))); give a file in a folder that the bridge may write to")
        }
    }

    deinit { close(descriptor) }

    /// Adds bytes at the end, in one piece where the system can.
    ///
    /// - Throws: `POSIXError` if the disk is full, for example.
    func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            }
        }
    }
}
