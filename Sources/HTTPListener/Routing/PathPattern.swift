package import HTTP

/// A pattern of a path's segments, written as a path: `_user/*/_session`.
package struct PathPattern: Hashable, Sendable {
    package enum Segment: Hashable, Sendable {
        case exactly(String)
        /// `*`: any segment except an empty one.
        case any
        /// `**`: any further segments, also none. Only at the end.
        case rest
    }

    package let segments: [Segment]

    /// Reads a pattern. Slashes at its ends and empty segments are ignored.
    package init(_ text: String) {
        segments = text.split(separator: "/").map { part in
            switch part {
            case "*": .any
            case "**": .rest
            default: .exactly(String(part))
            }
        }
    }

    /// The segments of a path at the positions of `*`; `nil` if the path does not match.
    ///
    /// Names are compared after percent-decoding, byte by byte. An encoded slash belongs to its segment, so it never matches a slash of the
    /// pattern.
    package func parameters(of path: ArraySlice<PathSegment>) -> [String]? {
        let isOpen = segments.last == .rest
        guard isOpen ? path.count >= segments.count - 1 : path.count == segments.count else { return nil }
        var parameters: [String] = []
        for (expected, segment) in zip(segments, path) {
            switch expected {
            case .exactly(let text): guard segment.value.utf8.elementsEqual(text.utf8) else { return nil }
            case .any:
                guard !segment.isEmpty else { return nil }
                parameters.append(segment.value)
            case .rest: return parameters
            }
        }
        return parameters
    }
}

extension PathPattern: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self.init(text) }
}

extension PathPattern: CustomStringConvertible {
    package var description: String {
        segments.map { segment in
            switch segment {
            case .exactly(let text): text
            case .any: "*"
            case .rest: "**"
            }
        }.joined(separator: "/")
    }
}
