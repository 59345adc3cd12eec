package import HTTP
import HTTPTypes
package import HummingbirdCore
import NIOCore

/// The files of the page at `/_ui/`, by the path below it.
///
/// Scripts are modules. Each comes after its imports.
package enum PageFile: String, CaseIterable, Sendable {
    case page = ""
    case style = "app.css"

    /// Models of the admin port's replies: pure functions.
    case model = "model.js"
    case metrics = "metrics.js"
    case devices = "devices.js"
    case chart = "chart.js"
    case bodies = "bodies.js"
    case drawing = "drawing.js"
    case gates = "gates.js"
    case outcome = "outcome.js"

    /// Views as parts: pure functions.
    case parts = "parts.js"
    case comparison = "comparison.js"
    case groups = "groups.js"
    case cutover = "cutover.js"
    case replications = "replications.js"
    case fleet = "fleet.js"
    case users = "users.js"
    case conflicts = "conflicts.js"
    case documents = "documents.js"
    case parked = "parked.js"
    case migrations = "migrations.js"
    case server = "server.js"

    /// Creates elements from parts.
    case elements = "elements.js"

    /// Requests and changes.
    case ask = "ask.js"
    case dialog = "dialog.js"
    case changes = "changes.js"
    case loader = "loader.js"
    case lookup = "lookup.js"
    case screen = "screen.js"
    case forms = "forms.js"
    case script = "app.js"

    /// The first segment of the files' paths.
    private static let path = "_ui"

    /// The files that need no browser.
    static let functions = allCases.filter { file in
        switch file {
        case .page, .style, .ask, .dialog, .changes, .loader, .lookup, .screen, .forms, .script: false
        default: true
        }
    }

    var bytes: [UInt8] {
        switch self {
        case .page: PackageResources.index_html
        case .style: PackageResources.app_css
        case .model: PackageResources.model_js
        case .metrics: PackageResources.metrics_js
        case .devices: PackageResources.devices_js
        case .chart: PackageResources.chart_js
        case .bodies: PackageResources.bodies_js
        case .drawing: PackageResources.drawing_js
        case .gates: PackageResources.gates_js
        case .outcome: PackageResources.outcome_js
        case .parts: PackageResources.parts_js
        case .groups: PackageResources.groups_js
        case .cutover: PackageResources.cutover_js
        case .replications: PackageResources.replications_js
        case .fleet: PackageResources.fleet_js
        case .users: PackageResources.users_js
        case .documents: PackageResources.documents_js
        case .comparison: PackageResources.comparison_js
        case .conflicts: PackageResources.conflicts_js
        case .parked: PackageResources.parked_js
        case .migrations: PackageResources.migrations_js
        case .server: PackageResources.server_js
        case .elements: PackageResources.elements_js
        case .ask: PackageResources.ask_js
        case .dialog: PackageResources.dialog_js
        case .changes: PackageResources.changes_js
        case .loader: PackageResources.loader_js
        case .lookup: PackageResources.lookup_js
        case .screen: PackageResources.screen_js
        case .forms: PackageResources.forms_js
        case .script: PackageResources.app_js
        }
    }

    var contentType: String {
        switch self {
        case .page: "text/html; charset=utf-8"
        case .style: "text/css; charset=utf-8"
        default: "text/javascript; charset=utf-8"
        }
    }

    /// The content security policy. The page runs only its own scripts: none in a document's ID, none from other hosts. It cannot be
    /// framed. Browsers with trusted types refuse the page to create markup from text.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

    /// Responds to `/_ui/` and the paths below it; `nil` for unknown files.
    package static func response(to target: RequestTarget) -> Response? {
        // Addresses on the page are relative, so that it also works behind a proxy's prefix.
        guard target.segments.count > 1 || target.hasTrailingSlash else {
            return Response(status: .permanentRedirect, headers: [.location: "\(path)/"])
        }
        let name = target.segments.count == 2 && !target.hasTrailingSlash ? target.segments[1].value : ""
        guard target.segments.count == 1 || !name.isEmpty, let file = PageFile(rawValue: name) else { return nil }
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
