import Testing

@testable import Gateway

/// Requests that name thousands of documents.
@Suite("Sliced reads")
struct ReadSliceTests {
    @Test("Each element is read once, in order, in slices of any length", arguments: [0, 1, 15, 16, 17, 100, 127, 128, 129, 300])
    func slices(count: Int) async throws {
        let fixture = try await Fixture()
        for time in [Duration.zero, .seconds(60)] {
            let answers = try await fixture.unified.readEach(Array(0..<count), id: { "d\($0)" }, for: time) { number, _ in
                number.isMultiple(of: 3) ? nil : number
            }
            #expect(answers == (0..<count).filter { !$0.isMultiple(of: 3) })
        }
    }

    @Test("A failure ends the read")
    func failure() async throws {
        let fixture = try await Fixture()
        await #expect(throws: GatewayError.self) {
            _ = try await fixture.unified.readEach(Array(0..<40), id: { "d\($0)" }, for: .zero) { number, _ -> Int? in
                guard number < 20 else { throw GatewayError(.notFound, "missing") }
                return number
            }
        }
    }
}
