/// An admin port that does not answer.
struct AdminUnreachable: Error {
    let url: String
    let cause: any Error

    /// What happened and what to do.
    var message: String { "\(url) cannot be reached: \(cause). Is the bridge running, and is this its admin port?" }
}
