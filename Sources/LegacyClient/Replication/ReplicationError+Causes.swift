import AsyncHTTPClient
import Documents
import Foundation
import Gateway
import HTTP
import HTTPTypes
import LegacyProtocol
import NIOCore
import NIOPosix
import NIOSSL

extension ReplicationError {
    /// An error of an exchange with a server.
    init(exchange error: any Error, with url: String) {
        switch error {
        case let error as ReplicationError: self = error
        case let error as HTTPClientError where error == .connectTimeout || error == .deadlineExceeded:
            self.init(.timedOut, "\(url) cannot be reached in time; check host, port and network", cause: error)
        case let error as HTTPClientError where error == .readTimeout || error == .writeTimeout:
            self.init(.connectionLost, "\(url) has stopped answering", cause: error)
        case let error as HTTPClientError where error == .invalidURL || error == .emptyHost || error == .emptyScheme:
            self.init(.badURL, "\(url) is not the URL of a database: http or https, a host and a name are needed", cause: error)
        case let error as HTTPClientError where error == .proxyAuthenticationRequired: self = .proxyLogin(error)
        case is HTTPClientError: self.init(.connectionLost, "The exchange with \(url) was interrupted", cause: error)
        case let error as WebSocketError: self.init(error, url)
        case is NIOConnectionError: self.init(.cannotConnect, "\(url) cannot be reached; check host, port and network", cause: error)
        case let error as IOError where [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ETIMEDOUT].contains(error.errnoCode):
            self.init(.cannotConnect, "\(url) cannot be reached; check host, port and network", cause: error)
        case is IOError, is ChannelError: self.init(.connectionLost, "The connection to \(url) was lost", cause: error)
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            self.init(.untrusted, "The certificate of \(url) is not trusted, or TLS with it failed", cause: error)
        default: self.init(.connectionLost, "The exchange with \(url) failed", cause: error)
        }
    }

    private init(_ error: WebSocketError, _ url: String) {
        switch error.code {
        case .proxyLogin: self = .proxyLogin(error)
        case .unreachable, .timeout: self.init(.cannotConnect, "\(url) cannot be reached; check host, port and network", cause: error)
        case .untrusted: self.init(.untrusted, "The certificate of \(url) is not trusted", cause: error)
        case .closed, .invalidURL, .unknownInterface, .unknownHost, .lookupFailed, .notWebSocket:
            self.init(.connectionLost, "The exchange with \(url) failed", cause: error)
        }
    }

    /// A permanent error, although other errors of a proxy may be transient.
    private static func proxyLogin(_ error: any Error) -> ReplicationError {
        ReplicationError(
            .init(rawValue: 407), "The proxy requires a name and a password, or refuses the configured ones (407)", cause: error)
    }

    /// An error of reading or storing a revision on this side.
    init(local error: any Error) {
        switch error {
        case let error as ReplicationError: self = error
        case let error as GatewayError: self.init(Self.code(of: error), error.message, cause: error.cause)
        case let error as DocumentError:
            self.init(Self.code(of: error), error.message)
        case let error as LegacyError: self.init(Code(rawValue: error.code.status.code), error.reason, cause: error.cause)
        case let error as MultipartError: self.init(.upstream, error.message)
        case let error as JSONError: self.init(.upstream, "The server's answer is not JSON", cause: error)
        case let error as CompressionError: self.init(Self.code(of: error), error.reason)
        default: self.init(.database, "The local store failed", cause: error)
        }
    }

    /// An error in a multipart answer of a server.
    init(answer error: MultipartError) {
        let code: Code =
            switch error.code {
            case .truncated: .connectionLost
            case .notMultipart, .missingBoundary, .invalidBoundary, .preambleTooLarge, .epilogueTooLarge, .headerTooLarge, .tooManyHeaders,
                .malformedHeader, .duplicateHeader, .tooManyParts:
                .upstream
            }
        self.init(code, error.message)
    }

    private static func code(of error: GatewayError) -> Code {
        switch error.code {
        case .badRequest: .badRequest
        case .digestMismatch: .badAttachment
        case .unauthorized: .unauthorized
        case .forbidden, .loginWanted: .forbidden
        case .notFound, .deleted: .notFound
        case .conflict: .conflict
        case .missingAttachment: .preconditionFailed
        case .tooLarge: .tooLarge
        case .script: .callback
        case .unavailable: .unavailable
        case .configuration: .database
        }
    }

    private static func code(of error: DocumentError) -> Code {
        switch error.code {
        case .badAttachment, .missingAttachment, .badBase64, .digestMismatch, .lengthMismatch: .badAttachment
        case .tooLarge: .tooLarge
        case .badJSON, .duplicateKey, .tooDeep, .badDocumentID, .badRevisionID, .badVersion, .badRevisions, .unknownRevision, .badTree,
            .badDelta,
            .badSelector, .reservedProperty:
            .badRequest
        }
    }

    private static func code(of error: CompressionError) -> Code {
        switch error.code {
        case .tooLarge: .tooLarge
        case .corrupt, .truncated, .outOfMemory: .upstream
        }
    }
}

/// An error within a list: of `_bulk_docs`, or of `_bulk_get`.
enum RowError {
    /// The error of a row; `nil` if it reports success. Uses the status, or else the error's name (docs/protocol/legacy-1x.md#_bulk_docs).
    static func error(in row: JSONValue) -> ReplicationError? {
        let name = row["error"]?.string
        let status = row["status"]?.int
        guard name != nil || (status ?? 0) >= 400 else { return nil }
        let code: ReplicationError.Code
        if let status, status >= 400 {
            code = .init(rawValue: status)
        } else {
            switch name {
            case "unauthorized": code = .unauthorized
            case "forbidden": code = .forbidden
            case "conflict": code = .conflict
            case "missing", "not_found": code = .notFound
            case "bad_request", "doc_validation", "illegal_docid": code = .badRequest
            case "missing_stub": code = .preconditionFailed
            case "too_large", "document_too_large", "attachment_too_large": code = .tooLarge
            default: code = .unavailable
            }
        }
        return ReplicationError(code, "\(name ?? String(code.rawValue)): \(row["reason"]?.string ?? "no reason given")")
    }
}
