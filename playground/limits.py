"""The limits of what a user may request. Every number is defined once, and a test exercises each of them."""

from scheduler_core.gates.table import MAX_TEXT as _MAX_GATES

# Bytes of a request's body: files to import, JSON with objects, and everything else. Uploads beyond the last one are
# stored on disk. A web process receives only so many large bodies at a time; further ones wait.
IMPORT_BYTES = 48 * 1024 * 1024
JSON_BYTES = 12 * 1024 * 1024
OTHER_BYTES = 1024 * 1024
LARGE_BODIES_AT_A_TIME = 4
# Files of an imported folder, and of any other form, which has no use for them.
IMPORT_FILES = 500
OTHER_FILES = 4

# Depth and number of values of JSON bodies. Values are counted before parsing, because one may take 300 bytes.
JSON_DEPTH = 64
JSON_VALUES = 400_000

# A request to a cluster's Kubernetes API is stopped after REQUEST_CPU_SECONDS of a processor. After REQUEST_SECONDS by
# the clock it is stopped once it has used REQUEST_LEAST_CPU_SECONDS: on a busy machine, expensive requests end in 3
# seconds, and requests that need less than that are never refused because others are busy. A request is also stopped
# when its process has REQUEST_BYTES more. After CLIENT_LOOK_SECONDS a process checks whether the client is still there.
REQUEST_CPU_SECONDS = 2.0
REQUEST_SECONDS, REQUEST_LEAST_CPU_SECONDS = 2.5, 0.5
REQUEST_BYTES = 192 * 1024 * 1024
CLIENT_LOOK_SECONDS = 0.2
# Concurrent calculating requests to clusters' APIs, and those of one client; they share the interpreter with pages.
CALCULATIONS_AT_A_TIME, CALCULATIONS_AT_A_TIME_PER_CLIENT = 4, 2

# Work in subprocesses, see `playground.sandbox`: the number of each kind per web process, and the seconds that others
# wait. Users without an account have a separate limit, so they never block other users.
IMPORTS_AT_A_TIME = 2
EXPORTS_AT_A_TIME = 1
STRANGERS_AT_A_TIME = 1
APART_PATIENCE_SECONDS = 20
# Seconds and bytes of memory of an import and of an export.
IMPORT_SECONDS = 180
IMPORT_MEMORY_BYTES = 1024 * 1024 * 1024
EXPORT_SECONDS = 120
EXPORT_MEMORY_BYTES = 1024 * 1024 * 1024
EXPORT_BYTES = 96 * 1024 * 1024
# Compressed bytes of a web process's cache of answers about the past.
SETTLED_BYTES = 32 * 1024 * 1024
# Limits of a page's messages on its cluster's stream: bytes per message, messages per second, burst. The server drops
# a connection with a message of more than SOCKET_BYTES.
SOCKET_MESSAGE_BYTES = 1024
SOCKET_FRAMES_PER_SECOND = 1
SOCKET_FRAMES_AT_ONCE = 30
SOCKET_BYTES = 64 * 1024
# Seconds between two checks of whether the user of an open socket may still read it.
SOCKET_CHECK_SECONDS = 30.0
# An idle HTTP connection stays open longer than clients (Go: 90 s) and proxies (Caddy: 120 s) keep one, because a POST
# that meets the end of its connection fails, as in `kubectl drain`.
KEEP_ALIVE_SECONDS = 240
# Open sockets per web process. A page has one, in a class two. A classroom behind one router has one address.
SOCKETS_PER_USER = 100
SOCKETS_PER_ADDRESS = 1000

# Bytes of the text of objects that are about to be changed.
MANIFEST_BYTES = 64 * 1024

CLUSTERS_PER_USER = 100
# With several users: clusters of a user that workers process at a time, in turns.
CLUSTERS_AT_WORK_PER_USER = 1
# Seconds in which a deleted cluster can be restored, and the number of those per user.
DELETED_SECONDS = 3600
DELETED_PER_USER = 3
# Rows of a deleted cluster that a transaction deletes, and bytes of the disk that are reserved for that.
PURGE_ROWS = 500
RESERVE_BYTES = 16 * 1024 * 1024
COMMANDS_WAITING = 1000
# Characters of a command's idempotency key.
COMMAND_KEY = 200
# Characters of a change set's id.
CHANGE_SET = 64
# Commands that one undo or redo reverts; a longer change set needs several.
CHANGES_PER_UNDO = COMMANDS_WAITING // 2

RECORDS_PER_PAGE = 1000
CYCLES_PER_PAGE = 20_000
OBJECTS_PER_PAGE = 1000
# Objects per page of the source editor, and changed objects in a trial run.
SOURCE_OBJECTS = 40
TRIAL_OBJECTS = 500
PODS_PER_LANE = 1000
# Changed Nodes whose Pods are queried by Node name; for more Nodes, all Pods are read.
NODES_NAMED = 1000
# Nodes whose Pods one request may ask for.
NODES_ASKED = 200
EVENTS_PER_POD = 200
MOVES_PER_POD = 200

CYCLES_PER_SECOND = 1000.0
# Virtual seconds per second: a day.
SECONDS_PER_SECOND = 86_400

# A connection that missed more records gets a `gap` message, and must use the API.
CATCH_UP_RECORDS = 5000
# The stream sends records in full up to this number and size.
FULL_RECORDS = 20
FULL_BYTES = 64 * 1024
RECORDS_PER_FRAME = 500
# A record's brief form has only the length of longer lists.
BRIEF_LIST = 100
STATE_FRAMES_PER_SECOND = 5

# Wrong passwords in five minutes: for one name from one address, and for all names from one address.
FAILED_LOGINS = 10
FAILED_LOGINS_PER_ADDRESS = 100
FAILED_LOGIN_SECONDS = 300

# Records that the engine may replay to rebuild a pruned one.
REBUILD_RECORDS = 5000

# Seconds between a worker's heartbeats, and without one until it counts as dead.
HEARTBEAT_SECONDS = 5
WORKER_SILENT_SECONDS = 15

# Questions to the engine: seconds and bytes of an answer, open questions per user, and records that the engine may
# replay for one.
ANSWER_SECONDS = 20
ANSWER_BYTES = 16 * 1024 * 1024
QUESTIONS_AT_A_TIME = 8
QUESTION_RECORDS = 5000

# Repairs of a Pod: seconds of the search, seconds per request, and results.
REPAIR_SECONDS = 10.0
REPAIR_SLICE_SECONDS = 0.5
REPAIR_RESULTS = 8

# An upgrade's report: seconds per request.
UPGRADE_SLICE_SECONDS = 0.5

# Capacity: seconds per request, copies of a Pod, Nodes of a group.
CAPACITY_SLICE_SECONDS = 0.5
CAPACITY_COPIES = 100_000
CAPACITY_NODES = 5_000

# Comparisons: sides, seeds, attempts per run, comparisons per cluster, waiting runs per user, and moved Pods in an
# answer.
COMPARISON_SIDES = 8
COMPARISON_SEEDS = 16
COMPARISON_CYCLES = 200_000
COMPARISONS_PER_CLUSTER = 20
COMPARISON_RUNS_WAITING = 128
COMPARISON_MOVED = 1000

# Options of a question in a lesson or a class.
OPTIONS = 1000

# Shared moments: characters of an ID and of a key, bytes of a stored one and of all of a user, and their number.
SHARE_TOKEN = 22
SHARE_KEY = 43
SHARE_BYTES = 4 * 1024 * 1024
SHARES_BYTES_PER_USER = 64 * 1024 * 1024
SHARES_PER_USER = 200
# Cycles and commands of a shared cluster, because every visitor of the link could cause a run.
SHARE_CYCLES = 2000
SHARE_COMMANDS = 300
# Configurations of a shared moment, and seconds and bytes of memory for checking them for a visitor.
SHARE_CONFIGS = 20
SHARE_CHECK_SECONDS = 3
SHARE_CHECK_BYTES = 256 * 1024 * 1024
# Clusters that show shared moments: their number, stored bytes of each, running ones at a time, and new ones per
# address and minute. Objects of such a cluster, and seconds of work for it.
SHARE_VIEWS = 64
SHARE_VIEW_BYTES = 16 * 1024 * 1024
SHARE_VIEW_OBJECTS = 10_000
SHARE_VIEW_WORK_SECONDS = 60
SHARE_VIEWS_AT_WORK = 8
SHARE_VIEWS_PER_MINUTE = 30
SHARE_VIEWS_SECONDS = 60
# Classes: characters of a code and of a follower's name, followers, questions, and hours until a class ends.
CLASS_CODE = 8
FOLLOWER_NAME = 40
CLASS_FOLLOWERS = 250
CLASS_QUESTIONS = 200
CLASS_HOURS = 24
# Wrong codes from one address in five minutes. A classroom behind one router has one address.
WRONG_CODES = 100
WRONG_CODE_SECONDS = 300
# Limits of the messages of a page in a class: bytes, messages per second, burst.
CLASS_FRAME_BYTES = 4096
CLASS_FRAMES_PER_SECOND = 20
CLASS_FRAMES_AT_ONCE = 40
# Guests: clusters of one, and days until deletion if the class has not ended before. New guests per address and hour;
# a classroom behind one router has one address.
GUEST_CLUSTERS = 5
GUEST_DAYS = 14
GUESTS_PER_ADDRESS = 300
GUESTS_SECONDS = 3600

# Concurrent requests of a web process; some wait for a cluster for half a minute.
REQUESTS_AT_WORK = 1000
# Of these: a client's writes and page reads; reads of the Kubernetes API in total and per client; and lists. Further
# requests wait CLIENT_PLACE_SECONDS.
WRITES_AT_WORK_PER_CLIENT = 64
PAGE_READS_AT_WORK_PER_CLIENT = 16
CLUSTER_READS_AT_WORK, CLUSTER_READS_AT_WORK_PER_CLIENT = 24, 8
LISTS_AT_A_TIME = 1
CLIENT_PLACE_SECONDS = 30.0

# Watches of the Kubernetes API: open ones per client, and maximum seconds of one.
WATCHES_PER_CLIENT = 2000
WATCH_SECONDS = 4 * 3600
# Threads that read the database for watches.
WATCH_THREADS = 4
# Kubernetes API requests of a client: per second, and as a burst.
REQUESTS_PER_SECOND = 400
REQUESTS_AT_ONCE = 2000
# Kubernetes API tokens: per cluster, and characters of a token's name and of its client's name.
TOKENS_PER_CLUSTER = 50
TOKEN_NAME = 60
CLIENT_NAME = 82
# Refused requests of clients: stored ones per cluster, and characters of the reason.
REFUSALS_PER_CLUSTER = 50
REFUSAL_MESSAGE = 500

# Characters of a kube-scheduler version with all of its feature gates.
EMULATION = _MAX_GATES + 20
