import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Testing

@testable import HTTP

@Suite("Errors of the network in plain words")
struct PlainCauseTests {
    private struct Library: Error, CustomStringConvertible {
        let description: String
    }

    @Test("Neither functions nor numbers are named")
    func words() {
        #expect(PlainCause.text(IOError(errnoCode: EADDRINUSE, reason: "bind(descriptor:ptr:bytes:)")) == "address already in use")
        #expect(PlainCause.text(POSIXError(.ENOSPC)) == "no space left on device")
        #expect(PlainCause.text(ChannelError.connectTimeout(.seconds(1))) == "no answer in time")
        #expect(PlainCause.text(ChannelError.eof) == "the connection was closed")
        #expect(PlainCause.text(Library(description: "HTTPClientError.remoteConnectionClosed")) == "remote connection closed")
        #expect(PlainCause.text(NIOSSLError.failedToLoadCertificate) == "TLS: failed to load certificate")
        #expect(PlainCause.text(Library(description: "other")) == "other")
        #expect(PlainCause.systemError(IOError(errnoCode: EACCES, reason: "x")) == EACCES)
    }

    @Test("Nobody listens")
    func refused() async throws {
        let error = try await #require(throws: (any Error).self) {
            try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(host: "127.0.0.1", port: 1).get()
        }
        #expect(PlainCause.text(error) == "connection refused" && PlainCause.systemError(error) == ECONNREFUSED)
    }
}
