import Foundation

/// A socket that listens, and outlives the processes that accept at it.
package struct ListeningSocket: Sendable {
    /// By which the process that accepts at it finds it.
    let name: String
    let descriptor: Int32

    /// Seconds for which another process may go on using the address: that of a supervisor that was just killed.
    private static let patience = 2.0
    private static let backlog: Int32 = 1_024

    /// - Parameters:
    ///   - name: by which the process that accepts at it finds it.
    ///   - port: 0 for any.
    /// - Throws: `POSIXError`.
    package init(name: String, host: String, port: Int) throws {
        self.name = name
        let deadline = ContinuousClock.now + .seconds(Self.patience)
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
