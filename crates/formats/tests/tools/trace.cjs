// Reads a Chrome trace with npm's @tracerbench/trace-model and prints each call
// for totals.py: self time in nanoseconds.
const fs = require('node:fs');
const path = require('node:path');
const { buildModel } = require(path.join(process.env.NODE_MODULES, '@tracerbench/trace-model'));

const model = buildModel(JSON.parse(fs.readFileSync(process.argv[2], 'utf8')));
const own = new Map();
for (const { threads } of model.processes) {
    for (const { events } of threads) {
        for (const event of events.filter((it) => it.isComplete())) {
            own.set(event, (own.get(event) ?? 0) + event.duration);
            if (event.parent) own.set(event.parent, (own.get(event.parent) ?? 0) - event.duration);
        }
    }
}
for (const [{ name }, microseconds] of own) {
    console.log(JSON.stringify({ name, own: microseconds * 1e3 }));
}
