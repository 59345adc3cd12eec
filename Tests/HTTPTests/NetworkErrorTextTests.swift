import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Testing

@testable import HTTP

@Suite("Messages of network errors")
struct NetworkErrorTextTests {
    private struct Library: Error, CustomStringConvertible {
        let description: String
    }

    @Test("Messages contain neither functions nor error numbers")
    func words() {
        #expect(NetworkErrorText.text(IOError(errnoCode: EADDRINUSE, reason: "bind(descriptor:ptr:bytes:)")) == "address already in use")
        #expect(NetworkErrorText.text(POSIXError(.ENOSPC)) == "no space left on device")
        #expect(NetworkErrorText.text(ChannelError.connectTimeout(.seconds(1))) == "no answer in time")
        #expect(NetworkErrorText.text(ChannelError.eof) == "the connection was closed")
        #expect(NetworkErrorText.text(Library(description: "HTTPClientError.remoteConnectionClosed")) == "remote connection closed")
        #expect(NetworkErrorText.text(NIOSSLError.failedToLoadCertificate) == "TLS: failed to load certificate")
        #expect(NetworkErrorText.text(Library(description: "other")) == "other")
        #expect(NetworkErrorText.systemError(IOError(errnoCode: EACCES, reason: "x")) == EACCES)
    }

    @Test("A refused connection has a plain message")
    func refused() async throws {
        let error = try await #require(throws: (any Error).self) {
            try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(host: "127.0.0.1", port: 1).get()
        }
        #expect(NetworkErrorText.text(error) == "connection refused" && NetworkErrorText.systemError(error) == ECONNREFUSED)
    }
}
