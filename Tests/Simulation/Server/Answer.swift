import HTTPTypes

/// An HTTP answer, whole.
struct Answer: Sendable {
    let status: Int
    let headers: HTTPFields
    let body: [UInt8]
}
