package import HTTPTypes

/// The routes of one path, by method.
package struct MethodTable<Route: Sendable>: Sendable {
    private let entries: [(method: HTTPRequest.Method, route: Route)]

    /// The methods in the form of the `Allow` header: sorted, without repetitions.
    package let allow: String

    /// - Parameter routes: The routes with their methods. The first route of a method is served.
    package init(_ routes: some Sequence<([HTTPRequest.Method], Route)>) {
        entries = routes.flatMap { methods, route in methods.map { ($0, route) } }
        allow = Set(entries.map(\.method.rawValue)).sorted().joined(separator: ", ")
    }

    /// The route of a method; `nil` if the path does not allow the method.
    package subscript(method: HTTPRequest.Method) -> Route? {
        entries.first { $0.method == method }?.route
    }
}
