import Documents
import Foundation
import Server
import TestSupport

extension FileTrial {
    private static let pageSize = 4_096

    /// A store whose file was damaged as by a disk, a copy or a program.
    mutating func playStore() async throws {
        try folder.copy(base.store, to: "shop.dualgauge")
        let what = try damageStore()
        let check = try await folder.run(["check", "\(folder.path)/shop.dualgauge"])
        try self.check(check, of: what, codes: [0, 1, 2, 3])
        let file = try folder.write(
            Array((FileTrial.head + "    guest: { enabled: true, channels: [\"*\"] }\n").utf8), to: "dualgauge.yaml")
        let bridge: FuzzedBridge
        do {
            bridge = try await FuzzedBridge(configurationAt: file)
        } catch let error as FuzzedBridge.NotServing {
            guard check.code != 0 else {
                throw FuzzFault("`check` finds it sound, and `serve` does not start", sent: what, answered: error.log)
            }
            if error.log.contains("is started again") || error.log.contains("Fatal error") {
                throw FuzzFault("`serve` was ended by a trap", sent: what, answered: error.log)
            }
            return
        }
        var found = 0
        for path in ["_all_docs?include_docs=true", "_changes?include_docs=true&style=all_docs"]
            + (0..<TrialBase.count).map({ "d\($0)?revs=true&attachments=true" })
        {
            let answer = try await ask(bridge, "GET", path, what)
            if path.hasPrefix("d"), answer?.status == 200 { found += 1 }
        }
        _ = try await ask(bridge, "PUT", "new", what)
        _ = try await ask(bridge, "POST", "_bulk_docs", what)
        let troubles = try await bridge.stop([])
        if !troubles.isEmpty { throw FuzzFault("\(troubles)", sent: what) }
        if check.code == 0, found < TrialBase.count {
            throw FuzzFault(
                "`check` finds it sound, and \(TrialBase.count - found) documents cannot be read", sent: what, answered: check.description)
        }
    }

    /// Sends requests to a damaged store: each gets a well-formed reply, or the connection ends.
    private func ask(_ bridge: FuzzedBridge, _ method: String, _ path: String, _ what: [UInt8]) async throws -> RawAnswer? {
        let body = method == "GET" ? "" : method == "PUT" ? "{}" : #"{"docs":[{"_id":"new2"},{"_id":"d1","_rev":"2-b1"}]}"#
        let socket = try RawSocket(port: bridge.port(.admin), timeout: FuzzSettings.timeout)
        do {
            return try await socket.ask(method, "/shop/\(path)", body, headers: "Accept: application/json\r\n")
        } catch let error as RawSocket.Failure {
            if error.message.hasPrefix("nothing came in time") { throw FuzzFault("no answer to \(path)", sent: what) }
            return nil
        }
    }

    /// - Returns: A description of the damage.
    private mutating func damageStore() throws -> [UInt8] {
        let name = "shop.dualgauge/store.sqlite"
        var bytes = try folder.read(name)
        let pages = bytes.count / Self.pageSize
        func page(_ number: Int) -> Range<Int> { number * Self.pageSize..<(number + 1) * Self.pageSize }
        let (one, other) = (maker.random.number(0...(pages - 1)), maker.random.number(0...(pages - 1)))
        let what: String
        switch maker.random.number(0...9) {
        case 0...2:
            let places = (0..<maker.random.number(1...8)).map { _ in maker.random.number(0...(bytes.count - 1)) }
            for place in places { bytes[place] ^= 1 << UInt8(maker.random.number(0...7)) }
            what = "bits at \(places)"
        case 3:
            let length = maker.random.pick([0, 1, 15, 16, 99, 100, 4_095, 4_096, 4_097, bytes.count / 2, bytes.count - 1])
            bytes.removeSubrange(length...)
            what = "cut off after \(length)"
        case 4:
            let filler = UInt8(maker.random.pick([0, 0xff, 0xa5]))
            bytes.replaceSubrange(page(one), with: repeatElement(filler, count: Self.pageSize))
            what = "page \(one) filled with \(filler)"
        case 5:
            bytes.replaceSubrange(page(one), with: Array(bytes[page(other)]))
            what = "page \(one) is page \(other)"
        case 6:
            let place = maker.random.number(0...99)
            bytes[place] = UInt8(maker.random.number(0...255))
            what = "byte \(place) of the header is \(bytes[place])"
        case 7:
            bytes += maker.random.pick(Boundaries.texts)
            what = "something behind"
        case 8:
            try folder.write((0..<5_000).map { _ in UInt8(maker.random.number(0...255)) }, to: "\(name)-wal")
            what = "a log of noise"
        default:
            bytes = (0..<20_000).map { _ in UInt8(maker.random.number(0...255)) }
            what = "noise"
        }
        try folder.write(bytes, to: name)
        return Array(what.utf8)
    }
}
