import Foundation
import HTTP
import HTTPTypes
import NIOSSL

extension WebSocketClient.Options {
    /// What Couchbase Lite sends (docs/protocol/modern-2x.md#upgrade-request).
    init(_ options: ConnectionOptions) throws {
        self.init()
        subprotocols = options.subprotocols.map(\.rawValue)
        localInterface = options.networkInterface
        proxy = options.proxy
        limits.pingInterval = options.heartbeat
        limits.pingTimeout = min(.seconds(20), max(options.heartbeat - .seconds(1), .seconds(1)))
        headers[.userAgent] = "CouchbaseLite/3.2 (Dualgauge)"
        for (name, value) in options.headers {
            guard let field = HTTPField.Name(name) else {
                throw ReplicatorError(.invalidParameter, "\(name) is no name of a header")
            }
            headers[field] = value
        }
        switch options.authenticator {
        case let basic as BasicAuthenticator:
            headers[.authorization] = BasicCredentials(user: basic.username, password: basic.password).authorization
        case let session as SessionAuthenticator:
            headers[.cookie] = "\(session.cookieName)=\(session.sessionID)"
        case let certificate as ClientCertificateAuthenticator:
            tls.identity = try Self.identity(certificate)
        default: break
        }
        switch options.serverCertificatePolicy {
        case .system: tls.trust = .systemRoots
        case .selfSignedOnly: tls.trust = .selfSignedOnly
        case .pinned(let bytes): tls.trust = .pinned(try Self.certificates(bytes, "the pinned certificate")[0])
        }
    }

    private static func identity(_ authenticator: ClientCertificateAuthenticator) throws -> ClientTLS.Identity {
        let chain = try certificates(authenticator.certificateChain, "the client certificate")
        do {
            return ClientTLS.Identity(certificates: chain, key: try NIOSSLPrivateKey(bytes: authenticator.privateKey, format: .pem))
        } catch {
            throw ReplicatorError(.crypto, "The private key of the client certificate cannot be read; it has to be in PEM", cause: error)
        }
    }

    /// Certificates in PEM, or one in DER.
    private static func certificates(_ bytes: [UInt8], _ what: String) throws -> [NIOSSLCertificate] {
        do {
            return try ClientTLS.certificates(bytes)
        } catch {
            throw ReplicatorError(.crypto, "\(what) cannot be read; it has to be in PEM or DER", cause: error)
        }
    }
}
