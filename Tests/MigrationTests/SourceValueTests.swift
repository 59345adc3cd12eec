import Migration
import Testing

@Suite("Values that sources speak in")
struct SourceValueTests {
    @Test("An error tells its message, and its cause if there is one")
    func errors() {
        let cause = SourceError(.damaged, "page 7 cannot be read")
        #expect("\(SourceError(.unreachable, "nobody answers"))" == "nobody answers")
        #expect("\(SourceError(.unreachable, "nobody answers", cause: cause))" == "nobody answers (page 7 cannot be read)")
    }
}
