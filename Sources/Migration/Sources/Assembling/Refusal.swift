/// A document that cannot be, thrown where one was to be made.
struct Refusal: Error {
    let fault: SourceFault

    init(_ fault: SourceFault) {
        self.fault = fault
    }
}
