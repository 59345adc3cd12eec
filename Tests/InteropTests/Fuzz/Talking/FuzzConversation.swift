import Foundation
import TestSupport

/// The sequence of one client's requests, made only from the seed, the conversation's number, and the bridge's replies.
struct FuzzConversation {
    let world: FuzzWorld
    let number: Int
    var caller: FuzzCaller
    var maker: Maker

    /// The number of sent requests and messages.
    var sent = 0

    /// The number of replies by status, including the codes of error replies.
    var statuses: [Int: Int] = [:]

    init(_ number: Int, in world: FuzzWorld) {
        self.world = world
        self.number = number
        var random = FuzzSettings.random(number)
        // A refused caller gets the same reply each time.
        let callers = random.once(in: 4) ? world.callers : world.callers.filter { !$0.isShutOut }
        caller = random.pick(callers)
        maker = Maker(random: random)
        for remote in world.server.remotes { maker.knowledge.learn(.remote, remote) }
    }

    /// Plays the conversation.
    ///
    /// - Returns: The bridge's faults.
    mutating func play() -> FuzzBreach? {
        do {
            try begin()
            switch maker.random.number(0...9) {
            case 0...5: try playRequests()
            case 6...7: try playMessages()
            case 8: try playWrongMessages()
            default:
                // Without TLS, there is one more feed.
                if let port = world.portOfTLS, maker.random.once(in: 2) { try playHandshakes(port) } else { try playFeed() }
            }
            return nil
        } catch let breach as FuzzFault {
            return FuzzBreach(origin: "ONLY=\(number)", what: breach.what, exchange: breach.exchange)
        } catch {
            return FuzzBreach(origin: "ONLY=\(number)", what: "\(error)")
        }
    }

    mutating func count(_ status: Int) { statuses[status, default: 0] += 1 }

    func connect() throws -> FuzzSocket { try FuzzSocket(port: world.port(caller.port)) }
}

/// The end of a conversation.
struct FuzzFault: Error {
    let what: String
    let exchange: String

    init(_ what: String, sent: [UInt8], answered: String = "") {
        self.what = what
        exchange = "--- sent\n\(FuzzBreach.printable(sent))\n--- answered\n\(answered)"
    }
}
