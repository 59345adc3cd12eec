import Foundation

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
