import Coordination
import Cutover
import Gateway
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import NIOCore

/// Records one exchange of a device in the figures of its side, in the same way for both sides: by the request, the status and the bodies of the 1.x
/// protocol. WebSockets count as requests; their messages are not examined.
final class ExchangeMeter: Sendable {
    /// The documents of a request.
    enum Kind: Hashable, Sendable {
        /// `_bulk_docs`.
        case writes
        /// A `PUT`, `POST` or `DELETE` of a document.
        case write
        /// `_bulk_get`.
        case reads
        /// A `GET` of a document.
        case read
        /// A request without documents.
        case other
    }

    /// The sender of a request; see ``DeviceSightings``.
    struct Sender: Sendable {
        let device: Int
        let user: Int?
        let position: Bool?
    }

    private let figures: DeviceFigures
    private let side: DeviceSide
    private let kind: Kind
    private let lasts: Bool
    private let sender: Sender?
    private let start = ContinuousClock.now

    /// The number of documents in the request; `nil` until its body is read, or if they cannot be counted.
    private let requested = Lock<Int?>(nil)

    /// - Parameters:
    ///   - lasts: Whether the response may wait for changes.
    ///   - sender: `nil` if it is not known.
    init(_ figures: DeviceFigures, side: DeviceSide, kind: Kind, lasts: Bool, sender: Sender?) {
        self.figures = figures
        self.side = side
        self.kind = kind
        self.lasts = lasts
        self.sender = sender
    }

    /// The request, whose documents are counted as its body is read.
    func counting(_ request: Request) -> Request {
        guard kind == .writes else { return request }
        return Request(
            head: request.head,
            body: RequestBody(
                asyncSequence: TalliedBody(base: request.body, form: .items, encoding: request.headers[.contentEncoding]) { count in
                    self.requested.withLock { $0 = count }
                }))
    }

    /// The response, which is recorded now, and whose documents are counted as its body is written.
    func recording(_ response: Response) -> Response {
        let status = response.status.code
        figures.recordResponse(on: side, status: status, after: lasts ? nil : (ContinuousClock.now - start) / .seconds(1))
        if let sender, status < 400 { figures.recordSender(sender.device, user: sender.user, on: side, from: sender.position) }
        switch (kind, status) {
        case (.write, 200..<300): figures.recordDocuments(on: side, received: 1)
        case (.write, 409): figures.recordDocuments(on: side, conflicts: 1)
        case (.read, 200): figures.recordDocuments(on: side, sent: 1)
        case (.writes, 200..<300):
            return counting(response, .rows) { [self] rows in
                // CouchDB lists the refused documents alone.
                let count = max(rows?.count ?? 0, requested.withLock { $0 } ?? 0)
                let (refused, conflicts) = (rows?.refused ?? 0, rows?.conflicts ?? 0)
                figures.recordDocuments(
                    on: side, received: max(0, count - refused - conflicts), refused: refused, conflicts: conflicts)
            }
        case (.reads, 200):
            let boundary = try? MultipartBoundary(contentType: response.headers[.contentType].flatMap { MediaType($0) })
            return counting(response, boundary.map { .parts($0) } ?? .items) { [figures, side] documents in
                figures.recordDocuments(on: side, sent: documents?.count ?? 0)
            }
        default: break
        }
        return response
    }

    private func counting(
        _ response: Response, _ form: BodyTally.Form, _ finish: @escaping @Sendable (BodyTally.Documents?) -> Void
    ) -> Response {
        let (body, encoding) = (response.body, response.headers[.contentEncoding])
        let counted = ResponseBody(contentLength: body.contentLength) { writer in
            try await body.write(TallyingWriter(parent: writer, tally: BodyTally(form, encoding: encoding), finish: finish))
        }
        return Response(status: response.status, headers: response.headers, body: counted)
    }
}

/// A request's body whose documents are counted as it is read.
private struct TalliedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let base: RequestBody
    let form: BodyTally.Form
    let encoding: String?
    let finish: @Sendable (Int?) -> Void

    struct AsyncIterator: AsyncIteratorProtocol {
        var base: RequestBody.AsyncIterator
        var tally: BodyTally
        let finish: @Sendable (Int?) -> Void

        mutating func next() async throws -> ByteBuffer? {
            guard let buffer = try await base.next() else {
                finish(tally.documents?.count)
                return nil
            }
            tally.add(buffer)
            return buffer
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: base.makeAsyncIterator(), tally: BodyTally(form, encoding: encoding), finish: finish)
    }
}

/// Counts the documents of a response as it is written.
private struct TallyingWriter: ResponseBodyWriter {
    var parent: any ResponseBodyWriter
    var tally: BodyTally
    let finish: @Sendable (BodyTally.Documents?) -> Void

    mutating func write(_ buffer: ByteBuffer) async throws {
        tally.add(buffer)
        try await parent.write(buffer)
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        finish(tally.documents)
        try await parent.finish(trailingHeaders)
    }
}
