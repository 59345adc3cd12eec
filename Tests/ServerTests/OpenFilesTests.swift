import Testing

@testable import Server

@Suite("The limit of open files")
struct OpenFilesTests {
    @Test(
        "Descriptors are reserved for stores, the admin port and other servers before clients",
        arguments: [(1_024, 1, 840), (256, 2, 48), (64, 1, 16), (20_000, 3, 19_768)])
    func room(limit: Int, databases: Int, connections: Int) {
        #expect(OpenFiles(limit: limit).connections(besides: databases) == connections)
    }

    @Test("Large numbers do not overflow")
    func extremes() {
        #expect(OpenFiles(limit: .max).connections(besides: .max) == 16)
        #expect(OpenFiles(limit: .max).connections(besides: 0) == .max - 160)
        #expect(OpenFiles.raised().limit > 0)
    }
}
