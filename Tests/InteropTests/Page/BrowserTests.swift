import Foundation
import Soak
import Testing

/// The page in a real browser, if one is installed.
@Suite("The page in a browser", .serialized)
struct BrowserTests {
    /// A browser of Debian's packages, `chromium-headless-shell`, or a similar one.
    private static let browser: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let names = ["chromium-headless-shell", "chromium", "google-chrome"]
        return names.flatMap { name in folders.map { "\($0)/\(name)" } }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// The page's elements after its script has sent all its requests once.
    private func elements(_ url: String) async throws -> String {
        let folder = try TemporaryFolder()
        let file = try folder.write("", to: "page.html")
        let output = try #require(FileHandle(forWritingAtPath: file))
        // Virtual time stops during a request, so a slow machine changes nothing.
        let arguments = [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--user-data-dir=\(folder.path)/profile",
            "--virtual-time-budget=4000", "--dump-dom", url,
        ]
        let browser = try #require(Self.browser)
        _ = try await ChildProcess(browser, arguments, output: output, errors: .nullDevice).end()
        return try String(contentsOfFile: file, encoding: .utf8)
    }

    @Test(
        "The page shows the data of the admin port, and no document's ID becomes markup",
        .enabled(if: browser != nil, "no chromium-headless-shell, chromium or google-chrome in the PATH"), .timeLimit(.minutes(5)))
    func shows() async throws {
        try await RunningBridge.run { (bridge) async throws in
            let id = "%3Cimg%20src=x%20onerror=alert(1)%3E"
            _ = try await bridge.admin("PUT", "/shop/\(id)", #"{"a":1}"#)
            _ = try await bridge.admin("PUT", "/shop/\(id)?new_edits=false", #"{"_rev":"1-abcd"}"#)
            let agent = "User-Agent: CouchbaseLite/1.4.1 (Android)\r\n"
            _ = try await bridge.ask("PUT", "/shop/_local/p", #"{"lastSequence":"1000000000"}"#, headers: agent)
            let page = try await elements("http://127.0.0.1:\(bridge.adminPort)/_ui/?database=shop")
            #expect(page.contains(#"data-ready="yes""#))
            #expect(page.contains("&lt;img src=x onerror=alert(1)&gt;") && !page.contains("<img"))
            #expect(page.contains("Couchbase Lite 1.4.1 (Android)") && page.contains("<rect") && page.contains("sales.orders"))
            #expect(page.contains("not configured") && page.contains("no replications are configured"))
        }
    }
}
