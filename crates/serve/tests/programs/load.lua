-- For wrk, by `./x serve-load`: clients that look at pages, or, with the argument
-- `upload FILE`, clients that send runs, each another one.
local pages = {
    "/", "/api/v1/pages/home", "/api/v1/facets?q=status:failed", "/api/v1/pages/routes", "/api/v1/runs?limit=100", "/api/v1/runs?q=wall:%3E200ms&sort=wall",
    "/api/v1/routes?q=since:7d", "/api/v1/releases", "/api/v1/days", "/api/v1/trend?q=since:7d&step=day",
    "/api/v1/policies", "/api/v1/stats", "/healthz",
}
local threads = 0

function setup(thread)
    thread:set("number", threads)
    threads = threads + 1
end

function init(arguments)
    sent = 0
    if arguments[1] ~= "upload" then
        return
    end
    local file = assert(io.open(arguments[2], "rb"))
    body = file:read("*a")
    file:close()
end

function delay()
    return body and 100 or 0
end

function request()
    sent = sent + 1
    if not body then
        return wrk.format("GET", pages[sent % #pages + 1])
    end
    -- Another tag is another run.
    local headers = { ["X-Xhprof-Tag"] = "number=" .. os.time() .. "-" .. number .. "-" .. sent }
    return wrk.format("POST", "/api/v1/runs", headers, body)
end

function done(summary, latency)
    local errors = summary.errors
    io.write(string.format("answers %d\nerrors %d\np50 %.1f ms\np99 %.1f ms\nlongest %.1f ms\n", summary.requests,
        errors.connect + errors.read + errors.write + errors.status + errors.timeout,
        latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency.max / 1000))
end
