import Foundation
import NIOPosix

/// Finds out why a host's name gives no address: NIO does not tell a name that there is not from a name server that does not answer.
enum HostLookup {
    /// What a result of `getaddrinfo` means.
    static func code(of result: Int32) -> WebSocketError.Code {
        // EAI_NODATA, which Linux declares for GNU programs alone, is -5.
        result == EAI_NONAME || result == -5 ? .unknownHost : .lookupFailed
    }

    /// Looks a name up again that could not be found.
    static func failure(of host: String) async -> WebSocketError.Code {
        let result = try? await NIOThreadPool.singleton.runIfActive {
            var hints = addrinfo()
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            var found: UnsafeMutablePointer<addrinfo>?
            defer { if let found { freeaddrinfo(found) } }
            return getaddrinfo(host, nil, &hints, &found)
        }
        return code(of: result ?? EAI_AGAIN)
    }
}
