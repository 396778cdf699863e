-- For wrk: requests one path after the other, and compares every answer with the
-- answer without the profiler. Numbers and tokens are masked here;
-- php-tests/programs/soak/same-answers.php compares exactly.

local paths, answers = {}, {}
local bad = 0
local threads = {}

local function masked(body)
    return (body:gsub("%w*%d%w*", "#"):gsub("%s+", " "):gsub("#[#%s%.:,%-+/=]*", "#"))
end

function setup(thread)
    threads[#threads + 1] = thread
end

function init()
    for path in io.lines(os.getenv("SOAK_PATHS")) do
        paths[#paths + 1] = path
        local file = assert(io.open(os.getenv("SOAK_ANSWERS") .. "/" .. #paths, "rb"))
        local body, status = file:read("*a"):match("^(.*)\n(%d+)\n$")
        file:close()
        answers[path] = { status = tonumber(status), body = masked(body) }
    end
    next_path, wrong, reported = 0, 0, 0
end

function request()
    next_path = next_path % #paths + 1
    return wrk.format("GET", (paths[next_path]:gsub("|", "%%7C")))
end

function response(status, headers, body)
    local path = (headers["X-Soak"] or "?"):gsub("%%7C", "|")
    local answer = answers[path]
    if not answer or answer.status ~= status or answer.body ~= masked(body) then
        wrong = wrong + 1
        if reported < 3 then
            reported = reported + 1
            print("wrong: " .. path .. ": status " .. status)
            print(body)
        end
    end
end

function done(summary)
    for _, thread in ipairs(threads) do bad = bad + thread:get("wrong") end
    local errors = summary.errors
    print("requests " .. summary.requests)
    print("bad " .. (bad + errors.connect + errors.read + errors.write + errors.timeout))
end
