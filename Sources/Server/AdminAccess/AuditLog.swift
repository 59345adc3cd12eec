import BridgeConfiguration
import Coordination
import Foundation
import Logging
import ReplicationService

/// The audit log of changes and refused requests on the admin port: a file of JSON lines, or messages of the log.
final class AuditLog: Sendable {
    /// The limit of entries about unauthenticated callers: a burst, then a number each second, so that such callers cannot fill the disk.
    private static let burst = 100.0
    private static let rate = 1.0

    private struct State {
        var file: AuditFile?
        var hasFailed = false

        /// The entries about unauthenticated callers that may be written at `time`.
        var unauthenticated = AuditLog.burst
        var time = ContinuousClock.now
        var omitted = 0
    }

    private let logger: Logger
    private let state: Lock<State>

    /// - Parameter path: the file; `nil` for the log.
    /// - Throws: ``ConfigurationError`` if the file cannot be opened.
    init(file path: String?, logger: Logger) throws {
        self.logger = logger
        state = Lock(State(file: try path.map { try AuditFile($0) }))
    }

    /// Opens a file: the same one again after log rotation has moved it, or another one.
    ///
    /// - Throws: ``ConfigurationError``; the old file stays in use then.
    func reopen(_ path: String?) throws {
        let file = try path.map { try AuditFile($0) }
        state.withLock { state in
            state.file = file
            state.hasFailed = false
        }
    }

    /// Opens the present file again.
    func reopen() throws {
        guard let path = state.withLock({ $0.file?.path }) else { return }
        try reopen(path)
    }

    /// Writes an entry.
    ///
    /// - Parameter isUnauthenticated: whether the caller was not authenticated. The number of such entries is limited; the next written one has
    ///   the number dropped.
    func record(_ entry: AuditEntry, isUnauthenticated: Bool = false) {
        var entry = entry
        let failure = state.withLock { state -> (any Error)?? in
            guard !isUnauthenticated || Self.allows(&state) else { return .none }
            if isUnauthenticated { (entry.omitted, state.omitted) = (state.omitted, 0) }
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
            logger.error(
                "the audit log cannot be written; its entries are written to this log instead", metadata: ["error": "\(failure)"])
        }
        logger.notice("audit", metadata: entry.metadata)
    }

    private static func allows(_ state: inout State) -> Bool {
        let now = ContinuousClock.now
        state.unauthenticated = min(burst, state.unauthenticated + rate * ((now - state.time) / .seconds(1)))
        state.time = now
        guard state.unauthenticated >= 1 else {
            state.omitted += 1
            return false
        }
        state.unauthenticated -= 1
        return true
    }
}

/// A file to append to. A new file is readable only by its owner.
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

    /// Appends bytes, in one write where possible.
    ///
    /// - Throws: `POSIXError`, for example if the disk is full.
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
