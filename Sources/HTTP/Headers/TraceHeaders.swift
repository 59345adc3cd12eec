package import HTTPTypes
package import NIOHTTP1
import Tracing

/// The headers by which a trace goes from one server to the next, such as `traceparent`. The tracer determines their names and values.
package struct TraceHeaders: Extractor, Injector {
    package init() {}

    package func extract(key: String, from fields: HTTPFields) -> String? {
        HTTPField.Name(key).flatMap { fields[$0] }
    }

    package func inject(_ value: String, forKey key: String, into fields: inout HTTPFields) {
        if let name = HTTPField.Name(key) { fields[name] = value }
    }
}

/// The same for the headers of outgoing requests.
package struct OutgoingTraceHeaders: Injector {
    package init() {}

    package func inject(_ value: String, forKey key: String, into headers: inout HTTPHeaders) {
        headers.replaceOrAdd(name: key, value: value)
    }
}
