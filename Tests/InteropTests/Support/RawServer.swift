import Foundation

/// A server on a port of its own that accepts connections and sends only the given bytes.
final class RawServer: Sendable {
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "dualgauge.raw-server")
    let port: Int

    var url: String { "http://127.0.0.1:\(port)" }

    init() throws {
        (descriptor, port) = try RawSocket.listen()
    }

    deinit { Foundation.close(descriptor) }

    /// The next connection.
    func accept() async throws -> RawSocket {
        let connection = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int32, any Error>) in
            queue.async { [descriptor] in
                let connection = Foundation.accept(descriptor, nil, nil)
                if connection < 0 {
                    continuation.resume(throwing: RawSocket.Failure(message: "no connection: \(errno)"))
                } else {
                    continuation.resume(returning: connection)
                }
            }
        }
        return RawSocket(connected: connection)
    }

    /// Answers every request of every connection with this status and an empty body, until the server is closed.
    func answerAll(_ status: Int) {
        Task {
            while let connection = try? await accept() {
                Task {
                    while (try? await connection.read(until: "\r\n\r\n")) != nil {
                        try await connection.send("HTTP/1.1 \(status) Old\r\nContent-Length: 0\r\n\r\n")
                    }
                }
            }
        }
    }

    /// Ends the waiting for connections.
    func close() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}
