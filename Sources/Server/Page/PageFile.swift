import HTTP
import HTTPTypes
import HummingbirdCore
import NIOCore

/// The files of the page at `/_ui/`, by what stands behind that.
enum PageFile: String, CaseIterable, Sendable {
    case page = ""
    case style = "app.css"

    /// What is shown, as functions of what the admin port has answered.
    case model = "model.js"
    case views = "views.js"

    /// What makes elements of it.
    case elements = "elements.js"

    /// What asks, and sends changes.
    case script = "app.js"

    var bytes: [UInt8] {
        switch self {
        case .page: PackageResources.index_html
        case .style: PackageResources.app_css
        case .model: PackageResources.model_js
        case .views: PackageResources.views_js
        case .elements: PackageResources.elements_js
        case .script: PackageResources.app_js
        }
    }

    var contentType: String {
        switch self {
        case .page: "text/html; charset=utf-8"
        case .style: "text/css; charset=utf-8"
        case .model, .views, .elements, .script: "text/javascript; charset=utf-8"
        }
    }

    /// The page runs its own scripts and nothing else: none that stands in a document's ID, nothing from elsewhere, in nobody's frame. Browsers that know
    /// trusted types refuse the page itself to make markup of text.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

    /// Answers `/_ui/` and what is behind it.
    static func response(to target: RequestTarget) -> Response {
        // Addresses on the page are relative, so that it works behind a proxy's prefix, too.
        guard target.segments.count > 1 || target.hasTrailingSlash else {
            return Response(status: .permanentRedirect, headers: [.location: "\(ServerRoute.page.rawValue)/"])
        }
        let name = target.segments.count == 2 && !target.hasTrailingSlash ? target.segments[1].value : ""
        guard target.segments.count == 1 || !name.isEmpty, let file = PageFile(rawValue: name) else { return ServerAnswer.unknownURL }
        return file.response
    }

    private var response: Response {
        var headers: HTTPFields = [
            .contentType: contentType, .contentSecurityPolicy: Self.policy, .xContentTypeOptions: "nosniff", .cacheControl: "no-cache",
        ]
        for (name, value) in [
            ("X-Frame-Options", "DENY"), ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ] {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
