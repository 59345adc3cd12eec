import Authentication
import Documents
import Gateway
import Testing

@testable import BridgeConfiguration
@testable import ReplicationService
@testable import Server

@Suite("A database's configuration in Sync Gateway's JSON")
struct DatabaseInputTests {
    private func input(_ text: String, name: String = "db") throws -> DatabaseInput {
        try DatabaseInput(try JSONValue(Array(text.utf8)), name: name)
    }

    private func text(_ input: DatabaseInput) -> String {
        var bytes: [UInt8] = []
        input.json.append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("Collections and functions of both forms are read")
    func collections() throws {
        let input = try input(
            #"{"sync":"a","scopes":{"s":{"collections":{"c":{"sync":"b"},"d":{}}},"_default":{"collections":{"_default":{}}}}}"#)
        #expect(
            input.configuration.collections == [
                CollectionConfiguration(name: .default, syncFunction: "a"),
                CollectionConfiguration(name: CollectionName(scope: "s", name: "c"), syncFunction: "b"),
                CollectionConfiguration(name: CollectionName(scope: "s", name: "d")),
            ])
    }

    @Test("An empty name of the cookie means the default name, as in the output of Sync Gateway 2.8")
    func cookieName() throws {
        #expect(try input(#"{"session_cookie_name":""}"#).access.cookieName == AccessConfiguration().cookieName)
        #expect(try input(#"{"session_cookie_name":"Own"}"#).access.cookieName == "Own")
        #expect(try input(#"{"allow_empty_password":true}"#).access.allowsEmptyPasswords)
    }

    @Test("An invalid name of a cookie is refused", arguments: ["a;b=c", "a b", "a\\r\\nX: y", "ä"])
    func badCookieName(name: String) {
        #expect(throws: AdminError.self) { try input(#"{"session_cookie_name":"\#(name)"}"#) }
    }

    @Test("A stored configuration can be read again, and is equal")
    func roundTrip() throws {
        let given =
            #"{"sync":"a","allow_conflicts":false,"revs_limit":50,"guest":{"disabled":false,"admin_channels":["x"]},"offline":true}"#
        let kept = text(try input(given))
        #expect(kept == given)
        let again = try input(kept)
        #expect(again.configuration.conflicts == .refuse && again.configuration.limits.revisionDepth == 50)
        #expect(again.configuration.guest == GuestConfiguration(isEnabled: true, channels: ["x"]))
        #expect(again.startsOffline)
    }

    @Test("Passwords are not stored; members without effect are named and not stored, because they may hold secrets")
    func secrets() throws {
        let input = try input(
            #"{"server":"couchbase://u:hidden@h","password":"hidden","facebook":{"register":true},"#
                + #""users":{"a":{"password":"hidden","admin_channels":["x"]}},"guest":{"password":"hidden"}}"#)
        #expect(!text(input).contains("hidden"))
        #expect(input.unused == ["server", "password", "facebook"])
        #expect(input.users.first?.value["password"]?.string == "hidden")
    }

    @Test("Providers are read, the default provider first; their secrets are stored and hidden, and kept when the output is written back")
    func providers() throws {
        let given =
            #"{"oidc":{"default_provider":"b","providers":{"a":{"issuer":"https://a.example.com","client_id":"app"},"#
            + #""b":{"issuer":"https://b.example.com","client_id":"app","validation_key":"hidden","register":true,"disable_session":true}}},"#
            + #""google":{"app_client_id":["g"],"register":true}}"#
        let input = try input(given)
        #expect(input.authenticators.oidc.map(\.name) == ["b", "a"])
        #expect(input.authenticators.oidc.map(\.registers) == [true, false])
        #expect(input.authenticators.oidc.map { $0.clientSecret != nil } == [true, false])
        #expect(input.authenticators.google?.clientIDs == ["g"])
        #expect(input.unused == ["oidc.providers.b.disable_session"])
        #expect(text(input).contains("hidden"))
        var shown: [UInt8] = []
        input.withoutSecrets.append(to: &shown)
        let text = String(decoding: shown, as: UTF8.self)
        #expect(!text.contains("hidden") && text.contains(#""validation_key":"xxxxx""#))
        let again = try self.input(text).completed(from: input)
        #expect(again.authenticators.oidc == input.authenticators.oidc)
        let other = try self.input(text.replacing("xxxxx", with: "new")).completed(from: input)
        #expect(other.authenticators.oidc != input.authenticators.oidc)
    }

    @Test(
        "An incomplete provider is an error, and is not left out",
        arguments: [
            #"{"oidc":{"providers":{"a":{"client_id":"app"}}}}"#, #"{"google":{"register":true}}"#,
            #"{"oidc":{"providers":{"a":{"issuer":"http://a.example.com","client_id":"app"}}}}"#,
        ])
    func unusableProviders(_ text: String) throws {
        #expect(throws: AdminError.self) { try input(text) }
    }

    @Test("The guest of 2.x is among the users")
    func guest() throws {
        let input = try input(#"{"users":{"GUEST":{"disabled":false,"admin_channels":["*"]},"a":{"password":"p"}}}"#)
        #expect(input.configuration.guest == GuestConfiguration(isEnabled: true, channels: ["*"]))
        #expect(input.users.map(\.key) == ["a"])
        #expect(try !self.input("{}").configuration.guest.isEnabled)
        #expect(try !self.input(#"{"guest":{"disabled":true}}"#).configuration.guest.isEnabled)
    }

    @Test("New members replace old members")
    func overlay() throws {
        let input = try input(#"{"sync":"a","revs_limit":50}"#).overlaid(with: try JSONValue(Array(#"{"sync":"b"}"#.utf8)))
        #expect(text(input) == #"{"revs_limit":50,"sync":"b"}"#)
    }

    @Test("One function is set; a collection that was not named before is added by it")
    func function() throws {
        let name = CollectionName(scope: "s", name: "c")
        let input = try input(#"{"revs_limit":50,"scopes":{"s":{"collections":{"c":{}}}}}"#)
        let changed = try input.replacing(syncFunction: "f", of: name)
        #expect(changed.configuration.collections == [CollectionConfiguration(name: name, syncFunction: "f")])
        #expect(changed.configuration.limits.revisionDepth == 50)
        #expect(try input.replacing(syncFunction: "g", of: .default).configuration.collections.count == 2)
        let other = CollectionName(scope: "s", name: "x")
        #expect(try input.replacing(syncFunction: "f", of: other).configuration.collections.map(\.name) == [name, other])
    }

    @Test("A database of the file is shown in the same form, and keeps its settings without a Sync Gateway counterpart")
    func configured() throws {
        var configuration = DatabaseConfiguration(name: "shop")
        configuration.conflicts = .resolve
        configuration.deltaSync = true
        configuration.guest = GuestConfiguration(isEnabled: true, channels: ["a"])
        configuration.collections = [CollectionConfiguration(name: CollectionName(scope: "s", name: "c"), isHidden: true)]
        configuration.routes = [Route(to: CollectionName(scope: "s", name: "c"), when: .idPrefix("c"))]
        let input = try DatabaseInput(configuration)
        let served = ServerConfiguration.ServedDatabase(configuration: configuration, store: "x")
        let same = input.applied(to: served).configuration
        #expect(same.conflicts == .resolve && same.collections == configuration.collections && same.routes.count == 1)
        #expect(same.guest == configuration.guest && same.deltaSync)
        let whole = try input.overlaid(with: try JSONValue(Array(#"{"delta_sync":{"enabled":false}}"#.utf8)))
        #expect(!whole.applied(to: served).configuration.deltaSync)
        #expect(try self.input(#"{"delta_sync":{"enabled":true,"rev_max_age_seconds":1}}"#).configuration.deltaSync)
        #expect(throws: AdminError.self) { try self.input(#"{"delta_sync":{"enabled":1}}"#) }
        let refusing = try input.overlaid(with: try JSONValue(Array(#"{"allow_conflicts":false}"#.utf8)))
        #expect(refusing.applied(to: served).configuration.conflicts == .refuse)
    }
}
