import Documents
import HTTP
import NIOCore
import Testing

@testable import Cutover

@Suite("The rules that decide which devices are moved")
struct DeviceRulesTests {
    private static func rules(_ json: String) throws -> DeviceRules { try DeviceRules(try JSONValue(Array(json.utf8))) }

    private static func address(_ text: String) throws -> DeviceIdentity { .address(try SocketAddress(ipAddress: text, port: 1234)) }

    @Test(
        "Names and patterns",
        arguments: [
            ("anna", "anna", true), ("anna", "Anna", false), ("anna", "anna2", false), ("qa-*", "qa-", true), ("qa-*", "qa-7", true),
            ("qa-*", "xqa-7", false), ("*", "", true), ("*@example.com", "a@example.com", true), ("*@example.com", "a@example.org", false),
            ("a*b*c", "abc", true), ("a*b*c", "aXbXXc", true), ("a*b*c", "acb", false), ("a*a", "a", false), ("a**b", "ab", true),
            ("*a*", "bab", true), ("caf\u{e9}", "cafe\u{301}", false),
        ])
    func patterns(pattern: String, name: String, matches: Bool) throws {
        #expect(try #require(NamePattern(pattern)).matches(name) == matches)
    }

    @Test("A larger share only adds devices, and it has about its size")
    func share() throws {
        let users = (0..<20_000).map { DeviceIdentity.user("user\($0)") }
        var earlier: Set<DeviceIdentity> = []
        for percent in [0, 0.5, 5, 50, 99.99, 100] {
            var rules = DeviceRules()
            rules.share = try #require(Share(percent: percent))
            let moved = Set(users.filter { rules.moves($0) })
            #expect(moved.isSuperset(of: earlier))
            #expect(abs(Double(moved.count) - percent * 200) <= 300, "\(percent) %: \(moved.count)")
            earlier = moved
        }
        #expect(earlier.count == users.count)
    }

    @Test("The order of the users is fixed: a change would move devices between two versions of the bridge")
    func fixed() throws {
        var rules = DeviceRules()
        rules.share = try #require(Share(percent: 10))
        let names = (0..<60).map { "user\($0)" }.filter { rules.moves(.user($0)) }
        #expect(names == ["user18", "user33", "user39", "user44", "user59"])
    }

    @Test("A user is chosen by name, wherever the devices are; only clients without a login by address")
    func addresses() throws {
        let rules = try Self.rules(#"{"addresses":["10.1.0.0/16","2001:db8::/32"]}"#)
        #expect(rules.moves(try Self.address("10.1.2.3")))
        #expect(rules.moves(try Self.address("2001:db8::7")))
        #expect(try !rules.moves(Self.address("10.2.2.3")))
        #expect(!rules.moves(.user("anna")))
        #expect(!rules.moves(.address(nil)))
    }

    @Test("Devices of one IPv6 network are on one side, because they change their addresses")
    func network() throws {
        for percent in stride(from: 5.0, to: 100, by: 5) {
            var rules = DeviceRules()
            rules.share = try #require(Share(percent: percent))
            #expect(rules.moves(try Self.address("2001:db8:1:2::1")) == rules.moves(try Self.address("2001:db8:1:2:ffff::9")))
        }
    }

    @Test("An exception precedes every rule")
    func except() throws {
        let rules = try Self.rules(#"{"percent":100,"users":["ceo","qa-*"],"channels":["pilot"],"except":["ceo","qa-1*"]}"#)
        #expect(!rules.moves(.user("ceo"), channels: ["pilot"]))
        #expect(!rules.moves(.user("qa-12")))
        #expect(rules.moves(.user("qa-2")))
    }

    @Test("Channels")
    func channels() throws {
        let rules = try Self.rules(#"{"channels":["pilot"]}"#)
        #expect(rules.moves(.user("anna"), channels: ["a", "pilot"]))
        #expect(!rules.moves(.user("anna"), channels: ["a"]))
    }

    @Test("One user is moved and moved back")
    func single() throws {
        let rules = try Self.rules(#"{"users":["qa-*"],"except":["anna"]}"#)
        let moved = rules.moving("anna")
        #expect(moved.moves(.user("anna")) && !moved.movesBack(from: rules) && rules.movesBack(from: moved))
        let back = moved.movingBack("anna").movingBack("qa-1")
        #expect(!back.moves(.user("anna")) && !back.moves(.user("qa-1")) && back.moves(.user("qa-2")))
        #expect(back.movesBack(from: moved))
        #expect(back.change(from: moved) == "users -anna, except +anna +qa-1")
    }

    @Test(
        "Less of a rule, or an exception more, may move devices back",
        arguments: [
            (#"{"percent":5}"#, #"{"percent":25}"#, false), (#"{"percent":25}"#, #"{"percent":5}"#, true),
            (#"{"users":["a"]}"#, #"{"users":["a","b"]}"#, false), (#"{"users":["a","b"]}"#, #"{"users":["b"]}"#, true),
            (#"{"channels":["a"]}"#, "{}", true), (#"{"addresses":["10.0.0.0/8"]}"#, "{}", true), ("{}", #"{"except":["a"]}"#, true),
            (#"{"except":["a"]}"#, "{}", false),
        ])
    func reduction(before: String, after: String, movesBack: Bool) throws {
        #expect(try Self.rules(after).movesBack(from: Self.rules(before)) == movesBack)
    }

    @Test(
        "Rules survive their JSON",
        arguments: ["{}", #"{"percent":0.25,"users":["a*"],"channels":["b"],"addresses":["10.0.0.0/8"],"except":["c"]}"#])
    func json(text: String) throws {
        let rules = try Self.rules(text)
        #expect(try DeviceRules(rules.json) == rules)
    }

    @Test(
        "Percentages have no superfluous zeros",
        arguments: [(0, "0"), (500, "5"), (1250, "12.5"), (1, "0.01"), (10_000, "100"), (1205, "12.05")])
    func percent(hundredths: Int, text: String) {
        #expect(Share(hundredths: hundredths).text == text)
    }

    @Test(
        "Other forms are refused with what is wrong",
        arguments: [
            ("[]", "object"), (#"{"percentage":5}"#, "percentage"), (#"{"percent":"5"}"#, "percent"), (#"{"percent":101}"#, "100"),
            (#"{"percent":-0.1}"#, "100"), (#"{"users":"a"}"#, "users"), (#"{"users":[""]}"#, "users"),
            (#"{"addresses":["10.0.0.0/33"]}"#, "10.0.0.0/33"),
            (#"{"percent":1e400}"#, "percent"),
        ])
    func refused(text: String, names: String) throws {
        #expect {
            _ = try Self.rules(text)
        } throws: { error in
            (error as? CutoverError)?.code == .badRules && "\(error)".contains(names)
        }
    }
}
