import Foundation

/// The descriptors of a supervisor's sockets.
enum Descriptor {
    /// Processes that the supervisor starts get lower ones.
    private static let lowest: Int32 = 64

    #if canImport(Glibc)
        static let stream = Int32(SOCK_STREAM.rawValue)
        static let datagram = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    #else
        static let stream = SOCK_STREAM
        static let datagram = SOCK_DGRAM
    #endif

    /// Moves a socket above the descriptors that a started process gets, so that none of them is written over while they are set up. No
    /// process inherits it as it is.
    ///
    /// - Parameter descriptor: is closed, whatever comes of it.
    /// - Throws: `POSIXError`.
    static func moved(_ descriptor: Int32) throws -> Int32 {
        let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, lowest)
        // Where the limit of open files is below the lowest one, the system calls the argument invalid.
        let reason = errno == EINVAL ? POSIXError(.EMFILE) : failure()
        close(descriptor)
        guard moved >= 0 else { throw reason }
        return moved
    }

    /// Blocks the thread until the other end of a socket is closed. That end never writes.
    ///
    /// Reading fails with ECONNRESET where the process of the other end was killed before it had read everything (unix(7)).
    static func awaitEnd(_ descriptor: Int32) {
        var byte: UInt8 = 0
        while true {
            let count = read(descriptor, &byte, 1)
            guard count > 0 || count == -1 && errno == EINTR else { return }
        }
    }

    /// The error of the system call that has just failed.
    static func failure() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
