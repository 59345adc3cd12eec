import Coordination
import HTTP
import NIOCore

/// Reads the requests of a connection one after the other.
///
/// A route can read its request's body until the request ends.
final class RequestReader: Sendable {
    private struct State {
        var ordinal = 0
        var isBodyOpen = false
        var failure: RequestError?
    }

    private let queue: InboundQueue<RequestPart>
    private let state = Lock(State())

    init(queue: InboundQueue<RequestPart>) {
        self.queue = queue
    }

    /// The client's protocol violation, if any.
    var failure: RequestError? { state.withLock { $0.failure } }

    /// The next request's head and its ordinal, or nil if there is none.
    func next() async throws -> (head: RequestHead, ordinal: Int)? {
        while failure == nil, let part = try await queue.next() {
            switch part {
            case .head(let head):
                let ordinal = state.withLock { state in
                    state.ordinal += 1
                    state.isBodyOpen = true
                    return state.ordinal
                }
                return (head, ordinal)
            case .failure(let error): fail(error)
            case .body, .end: continue
            }
        }
        return nil
    }

    /// The next chunk of a request's body, or nil at its end.
    ///
    /// - Throws: ``RequestError`` if the rest does not arrive, or if the request has ended.
    func nextBodyPart(of ordinal: Int) async throws -> ByteBuffer? {
        let isOpen = try state.withLock { state in
            if let failure = state.failure { throw failure }
            guard state.ordinal == ordinal else {
                throw RequestError(.invalidResponse, reason: "The body was read after its request had been answered.")
            }
            return state.isBodyOpen
        }
        guard isOpen else { return nil }
        switch try await queue.next() {
        case .body(let buffer): return buffer
        case .end:
            state.withLock { $0.isBodyOpen = false }
            return nil
        case .failure(let error):
            fail(error)
            throw error
        case .head, nil:
            let error = RequestError(.badRequest, reason: "The connection ended before the request's body.")
            fail(error)
            throw error
        }
    }

    /// Discards the rest of a request's body; returns false if it exceeds `limit` bytes.
    func skipBody(of ordinal: Int, limit: Int) async throws -> Bool {
        var skipped = 0
        while let buffer = try await nextBodyPart(of: ordinal) {
            skipped += buffer.readableBytes
            guard skipped <= limit else { return false }
        }
        return true
    }

    /// Whether the body has been read to its end.
    var isBodyRead: Bool { state.withLock { !$0.isBodyOpen } }

    private func fail(_ error: RequestError) {
        state.withLock { state in
            if state.failure == nil { state.failure = error }
        }
    }
}

/// The body of one request, for its route.
struct RequestBodyStream: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let reader: RequestReader
    let ordinal: Int

    struct AsyncIterator: AsyncIteratorProtocol {
        let reader: RequestReader
        let ordinal: Int

        func next() async throws -> ByteBuffer? {
            try await reader.nextBodyPart(of: ordinal)
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(reader: reader, ordinal: ordinal)
    }
}
