import AsyncHTTPClient
import Documents
import HTTP
import NIOCore

/// The documents of a `_bulk_get` response without attachments: parts of `multipart/mixed` (Sync Gateway), or JSON (CouchDB, PouchDB Server).
enum LegacyBulkAnswer {
    /// - Returns: The documents' JSON. Documents that the server refuses are omitted.
    /// - Throws: ``ReplicationError``.
    static func read(_ response: RemoteResponse, limits: ReplicationLimits) async throws -> [[UInt8]] {
        guard let type = response.contentType, type.isMultipart else {
            return try readJSON(try await response.bytes(upTo: limits.answerSize))
        }
        do {
            return try await readParts(response, type, limit: limits.answerSize)
        } catch let error as ReplicationError {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch let error as MultipartError {
            throw ReplicationError(answer: error)
        } catch {
            throw ReplicationError(exchange: error, with: response.url)
        }
    }

    private static func readParts(_ response: RemoteResponse, _ type: MediaType, limit: Int) async throws -> [[UInt8]] {
        var parser = MultipartParser(boundary: try MultipartBoundary(contentType: type))
        var documents: [[UInt8]] = []
        var part: [UInt8] = []
        var isWanted = false
        var total = 0
        func handle(_ events: [MultipartEvent]) throws {
            for event in events {
                switch event {
                case .partBegan(let headers):
                    // A multipart part contains attachments, which were not requested. The caller requests its document singly.
                    isWanted = !headers.isError && headers.contentType?.isMultipart != true
                    part = []
                case .partBody(let bytes) where isWanted:
                    total += bytes.count
                    guard total <= limit else {
                        throw ReplicationError(.tooLarge, "\(response.url) answered with more than \(limit) bytes")
                    }
                    part += bytes
                case .partEnded where isWanted: documents.append(part)
                case .partBody, .partEnded, .finished: break
                }
            }
        }
        for try await buffer in response.body { try handle(try parser.consume(Array(buffer.readableBytesView))) }
        try parser.finish()
        return documents
    }

    private static func readJSON(_ bytes: [UInt8]) throws -> [[UInt8]] {
        var documents: [[UInt8]] = []
        do {
            try JSONReader.read(bytes) { reader in
                try reader.object { key, value in
                    guard key == "results" else { return }
                    try value.array { row in
                        try row.object { key, value in
                            guard key == "docs" else { return }
                            try value.array { item in
                                try item.object { key, value in
                                    if key == "ok" { documents.append(Array(try value.raw())) }
                                }
                            }
                        }
                    }
                }
            }
        } catch {
            throw ReplicationError(.upstream, "The answer of _bulk_get is malformed", cause: error)
        }
        return documents
    }
}
