import Migration
import Testing

@Suite("Values of sources")
struct SourceValueTests {
    @Test("An error has its message, and its cause if there is one")
    func errors() {
        let cause = SourceError(.damaged, "page 7 cannot be read")
        #expect("\(SourceError(.unreachable, "nobody answers"))" == "nobody answers")
        #expect("\(SourceError(.unreachable, "nobody answers", cause: cause))" == "nobody answers (page 7 cannot be read)")
    }
}
