import Foundation
import Testing

@testable import Supervision

@Suite("The address of a service manager")
struct ServiceManagerTests {
    @Test("A path, and a name without a file, are addresses", arguments: ["/run/systemd/notify", "@/org/example/notify"])
    func addresses(path: String) {
        #expect(ServiceManager(path: path) != nil)
    }

    @Test(
        "Other addresses are ignored: an empty one, a relative path, a socket of virtual machines, and a name that is too long",
        arguments: ["", "/", "@", "notify", "vsock:2:1234", "/" + String(repeating: "n", count: 107)])
    func others(path: String) {
        #expect(ServiceManager(path: path) == nil)
    }

    @Test("A manager that does not listen causes no error")
    func absent() throws {
        let folder = FileManager.default.temporaryDirectory.path
        let manager = try #require(ServiceManager(path: "\(folder)/no-such-socket"))
        for state in [ServiceManager.State.ready, .alive, .stopping] { manager.notify(state) }
    }
}
