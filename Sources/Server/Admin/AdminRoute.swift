import HTTP
import HTTPTypes
import HummingbirdCore

/// One entry of the table of what the server itself serves behind a database's name.
struct AdminRoute: Sendable {
    /// What a segment of the path has to be.
    enum Segment: Hashable, Sendable {
        case exactly(String)
        /// Anything: a name, an ID.
        case any
    }

    let methods: [HTTPRequest.Method]
    let path: [Segment]

    /// At which ports. Where it is not served, nobody can tell that it is elsewhere.
    let ports: [PortKind]
    let handler: @Sendable (AdminCall) async throws -> Response

    init(
        _ methods: [HTTPRequest.Method], _ path: [Segment], at ports: [PortKind],
        _ handler: @escaping @Sendable (AdminCall) async throws -> Response
    ) {
        self.methods = methods
        self.path = path
        self.ports = ports
        self.handler = handler
    }

    /// The open parts of a path that this route serves; `nil` for other paths. An empty segment is nobody's name.
    func parameters(of segments: ArraySlice<PathSegment>) -> [String]? {
        Self.parameters(of: segments, along: path)
    }

    static func parameters(of segments: ArraySlice<PathSegment>, along path: [Segment]) -> [String]? {
        guard segments.count == path.count else { return nil }
        var parameters: [String] = []
        for (segment, expected) in zip(segments, path) {
            switch expected {
            case .exactly(let text): guard segment.value.utf8.elementsEqual(text.utf8) else { return nil }
            case .any:
                guard !segment.isEmpty else { return nil }
                parameters.append(segment.value)
            }
        }
        return parameters
    }
}
