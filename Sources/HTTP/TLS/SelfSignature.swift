import SwiftASN1
import X509

/// Whether a server has signed its certificate itself, as peers do that no authority knows.
enum SelfSignature {
    /// Whether a certificate, in DER, names its subject as its issuer and is signed by its own key.
    static func isValid(_ certificate: [UInt8]) -> Bool {
        guard let certificate = try? Certificate(derEncoded: certificate), certificate.issuer == certificate.subject else { return false }
        return certificate.publicKey.isValidSignature(certificate.signature, for: certificate)
    }
}
