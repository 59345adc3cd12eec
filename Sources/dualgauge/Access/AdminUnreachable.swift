import HTTP

/// An admin port that does not answer.
struct AdminUnreachable: Error {
    /// Without credentials.
    let url: String
    let cause: any Error

    /// What happened and what to do.
    var message: String {
        "\(url) cannot be reached: \(PlainCause.text(cause)). Is the bridge running, and is this its admin port (--admin, DUALGAUGE_ADMIN)?"
    }
}
