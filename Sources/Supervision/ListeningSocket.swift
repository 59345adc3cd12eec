import Foundation

/// A listening socket that the supervisor keeps open across restarts of the process that accepts at it.
package struct ListeningSocket: Sendable {
    /// The name by which the accepting process finds the socket.
    let name: String
    let descriptor: Int32

    /// Seconds during which binding is retried while the address is in use, for example by a supervisor that was just killed.
    private static let bindTimeout = 2.0
    private static let backlog: Int32 = 1_024

    /// - Parameters:
    ///   - name: the name by which the accepting process finds the socket.
    ///   - port: 0 for any free port.
    /// - Throws: `POSIXError`.
    package init(name: String, host: String, port: Int) throws {
        self.name = name
        let deadline = ContinuousClock.now + .seconds(Self.bindTimeout)
        while true {
            do {
                descriptor = try Self.listening(host, port)
                return
            } catch let error as POSIXError where error.code == .EADDRINUSE && ContinuousClock.now < deadline {
                usleep(50_000)
            }
        }
    }

    func close() {
        _ = Foundation.close(descriptor)
    }

    private static func listening(_ host: String, _ port: Int) throws -> Int32 {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE
        hints.ai_socktype = Descriptor.stream
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let found else { throw POSIXError(.EADDRNOTAVAIL) }
        defer { freeaddrinfo(found) }
        let address = found.pointee
        let opened = socket(address.ai_family, address.ai_socktype, 0)
        guard opened >= 0 else { throw Descriptor.failure() }
        var yes: Int32 = 1
        setsockopt(opened, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout.size(ofValue: yes)))
        guard bind(opened, address.ai_addr, address.ai_addrlen) == 0, listen(opened, backlog) == 0,
            fcntl(opened, F_SETFL, O_NONBLOCK) == 0
        else {
            let failure = Descriptor.failure()
            _ = Foundation.close(opened)
            throw failure
        }
        return try Descriptor.moved(opened)
    }
}

/// Functions for the descriptors of a supervisor's sockets.
enum Descriptor {
    /// The lowest descriptor for the supervisor's own sockets. Started processes get lower ones.
    private static let lowest: Int32 = 64

    #if canImport(Glibc)
        static let stream = Int32(SOCK_STREAM.rawValue)
        static let datagram = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    #else
        static let stream = SOCK_STREAM
        static let datagram = SOCK_DGRAM
    #endif

    /// Duplicates a socket to a descriptor above those that a started process gets, so that setting these up does not overwrite it. The duplicate
    /// is not inherited.
    ///
    /// - Parameter descriptor: is closed, even if the function throws.
    /// - Throws: `POSIXError`.
    static func moved(_ descriptor: Int32) throws -> Int32 {
        let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, lowest)
        // `fcntl` reports EINVAL if the limit of open files is below `lowest`.
        let reason = errno == EINVAL ? POSIXError(.EMFILE) : failure()
        close(descriptor)
        guard moved >= 0 else { throw reason }
        return moved
    }

    /// Blocks the thread until the peer of a socket closes it. The peer never writes.
    ///
    /// `read` fails with ECONNRESET if the peer's process was killed before it had read everything (unix(7)).
    static func awaitEnd(_ descriptor: Int32) {
        var byte: UInt8 = 0
        while true {
            let count = read(descriptor, &byte, 1)
            guard count > 0 || count == -1 && errno == EINTR else { return }
        }
    }

    /// The error of the last failed system call.
    static func failure() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
