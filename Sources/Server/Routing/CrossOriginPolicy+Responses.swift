import BridgeConfiguration
import HTTP
import HTTPTypes
import HummingbirdCore

extension CrossOriginPolicy {
    private static let any = "*"
    private static let methods = "GET, HEAD, POST, PUT, DELETE"

    /// Whether a page of an origin may log somebody in or out.
    func allowsLogin(from origin: String) -> Bool {
        loginOrigins.contains { Self.matches($0, origin) }
    }

    /// Whether a page of an origin may ask.
    func allows(_ origin: String) -> Bool {
        origins.contains { Self.matches($0, origin) }
    }

    /// The answer to a browser that asks what a page may do, before it does it: nobody is logged in there. `nil` for other requests, and for
    /// pages that may do nothing.
    func preflight(_ request: Request) -> Response? {
        guard request.method == .options, let origin = request.headers[.origin], allows(origin),
            request.headers[.accessControlRequestMethod] != nil
        else { return nil }
        var headers: HTTPFields = [.accessControlAllowMethods: Self.methods]
        if let maximumAge { headers[.accessControlMaxAge] = String(maximumAge) }
        return Response(status: .noContent, headers: headers)
    }

    /// Tells the browser that the page may read the answer.
    func stamp(_ response: Response, to request: Request) -> Response {
        guard !origins.isEmpty else { return response }
        var response = response
        // Caches must not give the answer to one origin to another.
        response.headers.append(HTTPField(name: .vary, value: "Origin"))
        guard let origin = request.headers[.origin], allows(origin) else { return response }
        if origins.contains(where: { $0 != Self.any && Self.matches($0, origin) }) {
            response.headers[.accessControlAllowOrigin] = origin
            response.headers[.accessControlAllowCredentials] = "true"
        } else {
            response.headers[.accessControlAllowOrigin] = Self.any
        }
        // A browser would ask its user for a password, and the page would wait for it. The page is told of the 401 instead.
        if response.headers[.wwwAuthenticate] == AccessAnswer.challenge { response.headers[.wwwAuthenticate] = nil }
        if !headers.isEmpty { response.headers[.accessControlAllowHeaders] = headers.joined(separator: ", ") }
        return response
    }

    /// Browsers write scheme and host in lower case; people do not always.
    private static func matches(_ allowed: String, _ origin: String) -> Bool {
        allowed == any || allowed.lowercased().utf8.elementsEqual(origin.lowercased().utf8)
    }
}

extension Request {
    /// The origin of the page that sends the request, if it is a page of another host than this one.
    var foreignOrigin: String? {
        guard let origin = headers[.origin] else { return nil }
        let host = (head.authority ?? "").lowercased()
        let own = ["http://\(host)", "https://\(host)"]
        return own.contains { $0.utf8.elementsEqual(origin.lowercased().utf8) } ? nil : origin
    }
}
