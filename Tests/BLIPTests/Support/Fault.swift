@testable import BLIP

/// An error by its code alone, so that tests do not contain messages.
struct Fault: Error, Equatable {
    let code: BLIPError.Code

    init(_ code: BLIPError.Code) {
        self.code = code
    }
}

/// Converts a BLIP error to its code.
func faults<Value>(_ body: () throws -> Value) throws -> Value {
    do {
        return try body()
    } catch let error as BLIPError {
        throw Fault(error.code)
    }
}
