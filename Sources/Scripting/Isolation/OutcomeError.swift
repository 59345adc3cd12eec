/// Why an outcome can't be an answer.
enum OutcomeError: Error {
    /// It is not of the kind's form.
    case unknown
    /// Its content is refused, with a reason.
    case refused(String)
}
