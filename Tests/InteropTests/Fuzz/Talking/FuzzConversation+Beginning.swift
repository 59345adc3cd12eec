import BridgeConfiguration
import Server
import TestSupport

extension FuzzConversation {
    /// A client's first requests: a login, or the creation of a database to work on.
    mutating func begin() throws {
        if caller.logsIn {
            for database in caller.databases {
                let answer = try ask("POST", "/\(database)/_session", #"{"name":"anna","password":"\#(FuzzWorld.password)"}"#)
                guard let cookie = answer["Set-Cookie"]?.split(separator: ";").first else { continue }
                caller.proof[database] = ["Cookie": String(cookie)]
            }
        }
        if caller.role == .administrator, maker.random.once(in: 2) {
            _ = try ask("PUT", "/lab/", "{}")
            _ = try ask("POST", "/lab/_online", "")
        }
    }

    private mutating func ask(_ method: String, _ path: String, _ body: String) throws -> FuzzAnswer {
        let socket = try connect()
        let headers = caller.headers(in: nil).map { "\($0.key): \($0.value)\r\n" }.joined()
        let request = Array(
            "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(headers)Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                .utf8)
        socket.send(request)
        sent += 1
        var reader = FuzzAnswerReader(socket)
        guard case .answer(let answer) = reader.next(isToHead: false, isExpected: true), AnswerModel.statuses.contains(answer.status) else {
            throw FuzzFault("no answer, or none that there may be", sent: request)
        }
        count(answer.status)
        return answer
    }
}
