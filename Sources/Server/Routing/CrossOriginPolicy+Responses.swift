import BridgeConfiguration
import HTTP
import HTTPTypes
import HummingbirdCore

extension CrossOriginPolicy {
    private static let any = "*"
    private static let methods = "GET, HEAD, POST, PUT, DELETE"

    /// Whether pages of an origin may log users in or out.
    func allowsLogin(from origin: String) -> Bool {
        loginOrigins.contains { Self.matches($0, origin) }
    }

    /// Whether pages of an origin may send requests.
    func allows(_ origin: String) -> Bool {
        origins.contains { Self.matches($0, origin) }
    }

    /// The response to a browser's preflight request, which is not authenticated; `nil` for other requests and for origins that are not
    /// allowed.
    func preflight(_ request: Request) -> Response? {
        guard request.method == .options, let origin = request.headers[.origin], allows(origin),
            request.headers[.accessControlRequestMethod] != nil
        else { return nil }
        var headers: HTTPFields = [.accessControlAllowMethods: Self.methods]
        if let maximumAge { headers[.accessControlMaxAge] = String(maximumAge) }
        return Response(status: .noContent, headers: headers)
    }

    /// Adds the headers that allow the page to read the response.
    func stamp(_ response: Response, to request: Request) -> Response {
        guard !origins.isEmpty else { return response }
        var response = response
        // Prevents caches from serving one origin's response to another.
        response.headers.append(HTTPField(name: .vary, value: "Origin"))
        guard let origin = request.headers[.origin], allows(origin) else { return response }
        if origins.contains(where: { $0 != Self.any && Self.matches($0, origin) }) {
            response.headers[.accessControlAllowOrigin] = origin
            response.headers[.accessControlAllowCredentials] = "true"
        } else {
            response.headers[.accessControlAllowOrigin] = Self.any
        }
        // With a challenge, a browser would open a password dialogue, and the page would wait for it. Without it, the page gets the 401.
        if response.headers[.wwwAuthenticate] == AccessAnswer.challenge { response.headers[.wwwAuthenticate] = nil }
        if !headers.isEmpty { response.headers[.accessControlAllowHeaders] = headers.joined(separator: ", ") }
        return response
    }

    /// Compares origins without regard to case: browsers send lower case, configurations may not.
    private static func matches(_ allowed: String, _ origin: String) -> Bool {
        allowed == any || allowed.lowercased().utf8.elementsEqual(origin.lowercased().utf8)
    }
}

extension Request {
    /// The origin of the page that sends the request, if it differs from this host.
    var foreignOrigin: String? {
        guard let origin = headers[.origin] else { return nil }
        let host = (head.authority ?? "").lowercased()
        let own = ["http://\(host)", "https://\(host)"]
        return own.contains { $0.utf8.elementsEqual(origin.lowercased().utf8) } ? nil : origin
    }
}
