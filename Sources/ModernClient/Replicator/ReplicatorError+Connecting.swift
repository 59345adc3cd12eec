import Foundation
import HTTP
import HTTPTypes

extension ReplicatorError {
    /// The error for a failed connection attempt.
    init(connecting error: any Error, to url: String) {
        switch error {
        case let error as ReplicatorError: self = error
        case let refusal as WebSocketRefusal: self.init(refusal, url)
        case let error as WebSocketError: self.init(error, url)
        default: self.init(.abnormalClose, "\(url) cannot be connected to", cause: error)
        }
    }

    private init(_ refusal: WebSocketRefusal, _ url: String) {
        let status = refusal.response.status.code
        let text = String(decoding: refusal.body.prefix(500), as: UTF8.self)
        if 200..<300 ~= status {
            self.init(.webSocketProtocolError, "\(url) answered \(status); it does not replicate")
        } else if status == 500, text.contains("I only speak") {
            // A retry cannot succeed.
            self.init(.unsupported, "\(url) supports no protocol of this replicator: \(text)")
        } else {
            self.init(.http(status), "\(url) answered \(status) \(refusal.response.status.reasonPhrase): \(text)")
        }
    }

    private init(_ error: WebSocketError, _ url: String) {
        let code: Code =
            switch error.code {
            case .invalidURL: .invalidURL
            case .unknownInterface: .unknownInterface
            case .unknownHost: .unknownHost
            case .lookupFailed: .dnsFailure
            case .timeout: .timeout
            case .notWebSocket: .webSocketProtocolError
            case .proxyLogin: .http(407)
            case .untrusted: Code(error.tlsFault ?? .handshake)
            case .unreachable: error.systemError.flatMap { Code(systemError: $0) } ?? .abnormalClose
            case .closed: .abnormalClose
            }
        self.init(code, error.reason, cause: error.cause)
    }

    /// The error for the end of an open connection; `nil` if it ended as intended.
    init?(_ end: ReplicationEnd, closeCode: (code: Int, reason: String)?) {
        switch end {
        case .done, .unanswered: return nil
        case .failed(let error): self = error
        case .violation(let error): self.init(error)
        case .lost(let what): self.init(.abnormalClose, "The connection was lost: \(what)")
        case .closedByPeer:
            let (code, reason) = closeCode ?? (1000, "")
            // A server that closes normally does not want an immediate retry (docs/protocol/modern-2x.md#transient-errors).
            self.init(
                code == 1000 ? .closedByPeer : .webSocket(code),
                "The server closed the connection with \(code)\(reason.isEmpty ? "" : ": " + reason)")
        }
    }
}

extension ReplicatorError.Code {
    /// The code for a TLS failure, as in LiteCore (`TCPSocket::checkSocketFailure`).
    init(_ fault: TLSFault) {
        self =
            switch fault {
            case .expired: .tlsCertificateExpired
            case .unknownAuthority: .tlsCertificateUnknownRoot
            case .nameMismatch: .tlsCertificateNameMismatch
            case .pinMismatch: .tlsCertificateUntrusted
            case .clientCertificateRequired: .tlsClientCertificateRequired
            case .clientCertificateRejected: .tlsClientCertificateRejected
            case .handshake: .tlsHandshakeFailed
            }
    }

    /// The code for a system error (`errno`); `nil` if there is no specific code.
    init?(systemError: Int32) {
        switch systemError {
        case ENETRESET: self = .networkReset
        case ECONNABORTED: self = .connectionAborted
        case ECONNRESET: self = .connectionReset
        case ECONNREFUSED: self = .connectionRefused
        case ETIMEDOUT: self = .timeout
        case ENETDOWN: self = .networkDown
        case ENETUNREACH: self = .networkUnreachable
        case ENOTCONN: self = .notConnected
        case EHOSTDOWN: self = .hostDown
        case EHOSTUNREACH: self = .hostUnreachable
        case EADDRNOTAVAIL: self = .addressNotAvailable
        case EPIPE: self = .brokenPipe
        default: return nil
        }
    }
}
