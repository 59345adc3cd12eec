import Foundation

extension String {
    /// The text in Unicode's composed form (NFC), in which names of channels and roles are kept and compared.
    ///
    /// The store compares bytes, and `String` compares canonically equivalent texts as equal, so a name that may be spelled in several ways
    /// is given one spelling where it comes in.
    public var composed: String {
        utf8.allSatisfy { $0 < 0x80 } ? self : precomposedStringWithCanonicalMapping
    }
}
