import HTTPTypes

/// A whole HTTP response.
struct Answer: Sendable {
    let status: Int
    let headers: HTTPFields
    let body: [UInt8]
}
