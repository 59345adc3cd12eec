import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import Telemetry
import Tracing

extension Dispatcher {
    /// Responds to a request within a span. The span ends when the answer begins: the body of a response, and so a feed or a WebSocket, is not
    /// in it.
    @Sendable
    func respondTraced(_ request: Request, _ info: RequestInfo) async -> Response {
        guard let tracer = databases.tracer else { return await respond(request, info) }
        let kind = (try? RequestTarget(request.head.path ?? "/")).map { RequestClass($0) } ?? .unknown
        let method = Self.methods.contains(request.method) ? request.method.rawValue : "_OTHER"
        let caller = tracer.context(of: request.headers, TraceHeaders())
        let span = tracer.begin(SpanName.request(method, kind.name), .server, below: caller) {
            $0[SpanAttributeName.method] = method
            $0[SpanAttributeName.requestClass] = kind.name
            $0[SpanAttributeName.port] = port.rawValue
        }
        let response = await ServiceContext.withValue(span.context) { await respond(request, info) }
        span.describe { $0[SpanAttributeName.status] = response.status.code }
        if response.status.code >= 500 { span.fail() }
        span.end()
        return response
    }

    /// The methods that HTTP defines. Other names are clients' inventions, and are no names of spans.
    private static let methods: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .delete, .connect, .options, .trace, .patch]
}
