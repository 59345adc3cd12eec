import Foundation
import HTTP

extension ReplicatorError.Code {
    /// Why TLS failed, as LiteCore says it (`TCPSocket::checkSocketFailure`).
    init(_ fault: TLSFault) {
        self =
            switch fault {
            case .expired: .tlsCertificateExpired
            case .unknownAuthority: .tlsCertificateUnknownRoot
            case .nameMismatch: .tlsCertificateNameMismatch
            case .notAsAgreed: .tlsCertificateUntrusted
            case .clientCertificateRequired: .tlsClientCertificateRequired
            case .clientCertificateRejected: .tlsClientCertificateRejected
            case .handshake: .tlsHandshakeFailed
            }
    }

    /// What the system has said (`errno`); `nil` for what has no word of its own.
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
