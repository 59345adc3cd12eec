/// A report that cannot be written. The run that it tells of is not touched by that.
struct ReportFileError: Error {
    let message: String
}
