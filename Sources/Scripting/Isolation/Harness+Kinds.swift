extension Harness {
    /// The kinds of functions except resolvers (see ``resolvers``), and their outcomes.
    ///
    /// - A predicate and a filter return `1` or `0`.
    /// - A sync function that refuses returns `F` (forbidden) or `U` (unauthorized) and a text.
    /// - Otherwise a sync function returns `K` and fields. Each field is a letter, the text's length in UTF-16 units, `:` and the text: `c` a
    ///   channel, `u` the user or role that the following `a` (channels) and `r` (roles) are granted to, `x` the expiry in seconds.
    ///
    /// The sync function's host functions follow Sync Gateway's (channels/sync_runner.go). Names are strings or arrays of strings; other values
    /// are ignored. Names are normalised to Unicode's composed form, as in the store. Without a user, `require*` check nothing. The function can
    /// catch the errors that they throw.
    static let kinds = #"""
        function truth(result) {
            return result instanceof Pending ? "Ba promise is not an answer" : result ? "1" : "0";
        }

        function predicate(fn) {
            return doc => truth(fn(doc));
        }

        function filter(fn) {
            hide(global, "isArray", freeze(value => isArray(value)));
            hide(global, "toJSON", freeze(value => stringify(value)));
            hide(global, "sum", freeze(values => {
                let total = 0;
                for (let i = 0; i < values.length; i++) total += values[i];
                return total;
            }));
            return (doc, req) => truth(fn(doc, req));
        }

        function sync(fn) {
            let output = "", user = null, overLimit = false, expires = "";
            const composed = name => apply(normalize, name, []);
            const field = (letter, text) => {
                if (output.length + text.length > resultLimit) overLimit = true;
                else output += letter + text.length + ":" + text;
            };
            const fields = (letter, value) => {
                if (typeof value === "string") field(letter, composed(value));
                else if (isArray(value)) {
                    for (let i = 0; i < value.length; i++) if (typeof value[i] === "string") field(letter, composed(value[i]));
                }
            };
            const grant = (letter, names, values) => {
                if (typeof names === "string") names = [names];
                if (!isArray(names)) return;
                for (let i = 0; i < names.length; i++) {
                    if (typeof names[i] !== "string") continue;
                    field("u", composed(names[i]));
                    fields(letter, values);
                }
            };
            const any = (mine, wanted, message) => {
                if (!isArray(wanted)) wanted = [wanted];
                for (let i = 0; i < wanted.length; i++) {
                    if (typeof wanted[i] !== "string") continue;
                    const name = composed(wanted[i]);
                    for (let j = 0; j < mine.length; j++) if (mine[j] === name) return;
                }
                throw { forbidden: message };
            };
            const seconds = value => {
                if (typeof value === "string") {
                    if (apply(test, /^[+-]?\d{1,10}$/, [value])) value = Numeric(value);
                    else if (apply(test, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/, [value])) value = parseDate(value) / 1000;
                }
                if (typeof value !== "number") return;
                value = trunc(value);
                if (value >= 0 && value <= 4294967295) expires = Text(value);
            };
            const host = {
                channel(...names) { for (let i = 0; i < names.length; i++) fields("c", names[i]); },
                access(names, channels) { grant("a", names, channels); },
                role(names, roles) { grant("r", names, roles); },
                expiry(value) { seconds(value); },
                requireAdmin() { if (user) throw { forbidden: "sg admin required" }; },
                requireUser(names) { if (user) any([user[0]], names, "sg wrong user"); },
                requireRole(roles) { if (user) any(user[1], roles, "sg missing role"); },
                requireAccess(channels) { if (user) any(user[2], channels, "sg missing channel access"); },
            };
            for (const name of keys(host)) hide(global, name, freeze(host[name]));

            return (doc, oldDoc, meta, writer) => {
                output = expires = "";
                overLimit = false;
                user = writer;
                if (oldDoc) oldDoc._id = doc._id;
                try {
                    const result = fn(doc, oldDoc, meta);
                    if (result instanceof Pending) return "Ba sync function cannot be asynchronous";
                } catch (thrown) {
                    if (thrown === null || thrown === undefined) throw thrown;
                    const forbidden = thrown.forbidden;
                    if (forbidden) return "F" + shorten(Text(forbidden));
                    const unauthorized = thrown.unauthorized;
                    if (unauthorized) return "U" + shorten(Text(unauthorized));
                    throw thrown;
                }
                if (overLimit) return "L";
                if (expires) field("x", expires);
                return "K" + output;
            };
        }

        """#
}
