extension Harness {
    /// Conflict resolvers. The outcome is `l` (the unchanged local document), `r` (the unchanged remote one), `d` (null: delete), or `m` and the
    /// merged document's JSON.
    ///
    /// Sync Gateway's resolvers run unchanged. `conflict.LocalDocument` and `.RemoteDocument` have `_id` and `_rev`, and `_deleted` for a
    /// tombstone. Once the function has read one of them, the result is interpreted as in Sync Gateway: a `_rev` selects a side, regardless of
    /// other changes to the document, and a document without `_rev` is a merged one (db/sg_replicate_conflict_resolver.go).
    static let resolvers = #"""
        function resolver(fn) {
            const bad = "Bthe document or null must be returned";
            let revisions = { local: "", remote: "" };

            const compared = (one, other) => {
                const parts = text => {
                    const dash = apply(indexOf, text, ["-"]);
                    return [dash > 0 ? Numeric(apply(slice, text, [0, dash])) : 0, apply(slice, text, [dash + 1])];
                };
                const [a, b] = [parts(one), parts(other)];
                return a[0] !== b[0] ? a[0] - b[0] : a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0;
            };
            const policy = (name, isLocal) => hide(global, name, freeze(conflict => {
                if (typeof conflict !== "object" || conflict === null) throw new BadType(name + "() needs the conflict that the function was called with");
                const isGateway = "LocalDocument" in conflict || "RemoteDocument" in conflict;
                const local = isGateway ? conflict.LocalDocument : conflict.localDocument;
                const remote = isGateway ? conflict.RemoteDocument : conflict.remoteDocument;
                const side = (document, known) => {
                    const has = typeof document === "object" && document !== null;
                    return { document, deleted: !has || document._deleted === true, rev: has && typeof document._rev === "string" ? document._rev : known };
                };
                return isLocal(side(local, revisions.local), side(remote, revisions.remote)) ? local : remote;
            }));
            policy("defaultPolicy", (local, remote) => local.deleted !== remote.deleted ? local.deleted : compared(local.rev, remote.rev) >= 0);
            policy("localWinsPolicy", () => true);
            policy("remoteWinsPolicy", () => false);

            return (documentID, localDocument, remoteDocument, localRevision, remoteRevision) => {
                revisions = { local: localRevision, remote: remoteRevision };
                const local = stringify(localDocument), remote = stringify(remoteDocument);
                const conflict = { documentID, localDocument, remoteDocument };
                let isGateway = false;
                const gateway = (name, text, _rev) => {
                    const hold = value => defineProperty(conflict, name, { value, writable: true, enumerable: true, configurable: true });
                    defineProperty(conflict, name, {
                        get() {
                            isGateway = true;
                            const document = text === "null" ? { _id: documentID, _rev, _deleted: true } : { _id: documentID, _rev, ...parse(text) };
                            hold(document);
                            return document;
                        },
                        set: hold, enumerable: false, configurable: true,
                    });
                };
                gateway("LocalDocument", local, localRevision);
                gateway("RemoteDocument", remote, remoteRevision);

                let result = fn(conflict);
                if (result === null) return "d";
                if (typeof result !== "object" || isArray(result)) return bad;
                if (result instanceof Pending) return "Ba promise is not an answer";
                if (isGateway) {
                    if (result._deleted === true) return "d";
                    const rev = result._rev;
                    if (typeof rev === "string" && rev !== "") {
                        return rev === localRevision ? "l" : rev === remoteRevision ? "r" : "Bthe document has the _rev of neither side; a merged one has none";
                    }
                    const { _id, _rev, ...merged } = result;
                    result = merged;
                }
                const text = stringify(result);
                if (result !== remoteDocument && text === local) return "l";
                if (text === remote) return "r";
                if (text === undefined || text[0] !== "{") return bad;
                return text.length > resultLimit ? "L" : "m" + text;
            };
        }

        """#
}
