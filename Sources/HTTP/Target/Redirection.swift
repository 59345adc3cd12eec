import Foundation

/// Where an answer sends its client on.
public struct Redirection: Sendable, Equatable {
    /// So many in a row are followed.
    public static let maximum = 10

    /// Where to ask next: absolute, without a fragment.
    public let url: String

    /// Whether scheme, host and port stay the same. Secrets go nowhere else.
    public let isSameOrigin: Bool

    /// - Parameters:
    ///   - status: the answer's; 301, 302, 303, 307 and 308 lead elsewhere.
    ///   - location: its header `Location`, which may be relative.
    ///   - url: where the answer came from.
    ///   - schemes: those that are followed. A secure connection is never left for an open one.
    /// - Returns: `nil` if the answer leads nowhere that may be followed.
    public init?(status: Int, location: String?, from url: String, schemes: Set<String>) {
        guard [301, 302, 303, 307, 308].contains(status), let location, let base = WebURL(url, schemes: schemes),
            let absolute = URL(string: location, relativeTo: URL(string: url))?.absoluteURL,
            let target = WebURL(absolute.absoluteString, schemes: schemes), target.isSecure || !base.isSecure
        else { return nil }
        var parts = target.parts
        parts.fragment = nil
        guard let text = parts.string else { return nil }
        self.url = text
        isSameOrigin =
            target.isSecure == base.isSecure && target.host.lowercased() == base.host.lowercased() && target.port == base.port
    }
}
