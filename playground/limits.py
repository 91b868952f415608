"""How much of anything a user may ask for. Every number has one place, and the tests meet each of them."""

from scheduler_core.gates.table import MAX_TEXT as _MAX_GATES

# Bytes of a request's body: files to import, JSON that carries objects, and everything else. Uploads beyond the last
# one are kept on a disk. Larger bodies are received so many at a time by a web process, the others wait their turn.
IMPORT_BYTES = 48 * 1024 * 1024
JSON_BYTES = 12 * 1024 * 1024
OTHER_BYTES = 1024 * 1024
LARGE_BODIES_AT_A_TIME = 4
# Files of a folder that are imported at once; forms of other addresses have none that is read.
IMPORT_FILES = 500
OTHER_FILES = 4

# JSON bodies: levels, and values, which are counted before any is made; one takes up to 300 bytes of memory.
JSON_DEPTH = 64
JSON_VALUES = 400_000

# A request to a cluster's Kubernetes API is stopped after REQUEST_CPU_SECONDS of a processor. After REQUEST_SECONDS by
# the clock it is stopped once it has used REQUEST_LEAST_CPU_SECONDS: on a busy machine, expensive requests end in 3
# seconds, and requests that need less than that are never refused because others are busy. A request is also stopped
# when its process has REQUEST_BYTES more. After a moment a process looks whether the client is still there.
REQUEST_CPU_SECONDS = 2.0
REQUEST_SECONDS, REQUEST_LEAST_CPU_SECONDS = 2.5, 0.5
REQUEST_BYTES = 192 * 1024 * 1024
CLIENT_LOOK_SECONDS = 0.2
# Requests to clusters' APIs that calculate at a time, and those of one client: all share one interpreter with pages.
CALCULATIONS_AT_A_TIME, CALCULATIONS_AT_A_TIME_PER_CLIENT = 4, 2

# Work that is done apart, see `playground.apart`: so many of each kind at a time in a web process, and how long others
# wait for a place. What strangers ask for never takes a user's place.
IMPORTS_AT_A_TIME = 2
EXPORTS_AT_A_TIME = 1
STRANGERS_AT_A_TIME = 1
APART_PATIENCE_SECONDS = 20
# What an import may take: 9,675 objects of a production cluster take 100 MiB and 3 s. And an export.
IMPORT_SECONDS = 180
IMPORT_MEMORY_BYTES = 1024 * 1024 * 1024
EXPORT_SECONDS = 120
EXPORT_MEMORY_BYTES = 1024 * 1024 * 1024
EXPORT_BYTES = 96 * 1024 * 1024
# Bytes of answers about the past that a web process keeps, packed.
SETTLED_BYTES = 32 * 1024 * 1024
# What a page may send by its cluster's stream: bytes of a frame, frames a second, and so many more at once. A server
# drops the connection of a frame that is larger than anything.
SOCKET_MESSAGE_BYTES = 1024
SOCKET_FRAMES_PER_SECOND = 1
SOCKET_FRAMES_AT_ONCE = 30
SOCKET_BYTES = 64 * 1024
# Seconds between two looks whether the user of an open socket may still read it.
SOCKET_CHECK_SECONDS = 30.0
# An idle HTTP connection stays open longer than clients (Go: 90 s) and proxies (Caddy: 120 s) keep one, because a POST
# that meets the end of its connection fails, as in `kubectl drain`.
KEEP_ALIVE_SECONDS = 240
# Open at a time in a web process. A page has one, in a class two; a room of people behind one router is one address.
SOCKETS_PER_USER = 100
SOCKETS_PER_ADDRESS = 1000

# The text of objects that are about to be changed.
MANIFEST_BYTES = 64 * 1024

CLUSTERS_PER_USER = 100
# Where there are several users: clusters of one that workers are at, a turn each; the others of theirs take turns.
CLUSTERS_AT_WORK_PER_USER = 1
# A deleted cluster can be brought back for so long; of each user's the newest few, as they take room.
DELETED_SECONDS = 3600
DELETED_PER_USER = 3
# Rows of a deleted cluster that a transaction deletes, and bytes of the disk that are kept for that.
PURGE_ROWS = 500
RESERVE_BYTES = 16 * 1024 * 1024
COMMANDS_WAITING = 1000
# Characters of a command's idempotency key.
COMMAND_KEY = 200
# Characters of a change set's id.
CHANGE_SET = 64
# Commands that one undo or redo takes back; a longer change set needs several.
CHANGES_PER_UNDO = COMMANDS_WAITING // 2

RECORDS_PER_PAGE = 1000
CYCLES_PER_PAGE = 20_000
OBJECTS_PER_PAGE = 1000
# So many objects are in the source editor at a time, and so many of them may be written otherwise in a trial.
SOURCE_OBJECTS = 40
TRIAL_OBJECTS = 500
PODS_PER_LANE = 1000
# The pods on so many nodes that changed are looked for by the nodes' names; of more, all pods are read.
NODES_NAMED = 1000
# Nodes whose pods may be asked for at once.
NODES_ASKED = 200
EVENTS_PER_POD = 200
MOVES_PER_POD = 200

CYCLES_PER_SECOND = 1000.0
# Virtual seconds: a day in one.
SECONDS_PER_SECOND = 86_400

# A connection that missed more records than this is told so, and asks the API.
CATCH_UP_RECORDS = 5000
# Records go out in full while there are few of them.
FULL_RECORDS = 20
FULL_BYTES = 64 * 1024
RECORDS_PER_FRAME = 500
# Lists in a record that are longer than this are only counted in its brief form.
BRIEF_LIST = 100
STATE_FRAMES_PER_SECOND = 5

# Wrong passwords in five minutes: for one name from one address, and for all names from one address.
FAILED_LOGINS = 10
FAILED_LOGINS_PER_ADDRESS = 100
FAILED_LOGIN_SECONDS = 300

# How many records the engine may go through to bring back one that was thinned out: about a second for a thousand.
REBUILD_RECORDS = 5000

# Workers give a sign of life so often, and are taken for dead after so much silence.
HEARTBEAT_SECONDS = 5
WORKER_SILENT_SECONDS = 15

# Questions that the engine answers: seconds and bytes of one answer, those that a user may wait for at a time, and how
# many records may have to be made again before the engine is where it has to be.
ANSWER_SECONDS = 20
ANSWER_BYTES = 16 * 1024 * 1024
QUESTIONS_AT_A_TIME = 8
QUESTION_RECORDS = 5000

# Repairs of one pod: seconds of work, of one look at it, and results.
REPAIR_SECONDS = 10.0
REPAIR_SLICE_SECONDS = 0.5
REPAIR_RESULTS = 8

# An upgrade's report: seconds of one look at it.
UPGRADE_SLICE_SECONDS = 0.5

# Capacity: seconds of one look at it, copies of a pod, nodes of a group.
CAPACITY_SLICE_SECONDS = 0.5
CAPACITY_COPIES = 100_000
CAPACITY_NODES = 5_000

# Comparisons: sides and seeds of one, attempts of a run, how many a cluster keeps, runs that a user has waiting, and
# moved pods in one answer.
COMPARISON_SIDES = 8
COMPARISON_SEEDS = 16
COMPARISON_CYCLES = 200_000
COMPARISONS_PER_CLUSTER = 20
COMPARISON_RUNS_WAITING = 128
COMPARISON_MOVED = 1000

# Options that may be picked at a lesson's question.
OPTIONS = 1000

# Shared moments: characters of an id and of a key, bytes of one that is stored and of all of a user, and how many.
SHARE_TOKEN = 22
SHARE_KEY = 43
SHARE_BYTES = 4 * 1024 * 1024
SHARES_BYTES_PER_USER = 64 * 1024 * 1024
SHARES_PER_USER = 200
# Cycles and commands of a cluster that may be shared: whoever opens the link has them played.
SHARE_CYCLES = 2000
SHARE_COMMANDS = 300
# Its configurations, the first one and those that commands set; and what reading them may take before a link of
# somebody without an account is refused.
SHARE_CONFIGS = 20
SHARE_CHECK_SECONDS = 3
SHARE_CHECK_BYTES = 256 * 1024 * 1024
# Clusters in which shared moments are shown: how many are kept, what each may store, how many may be at work at a time,
# and how many new ones an address may ask for in a minute.
SHARE_VIEWS = 64
SHARE_VIEW_BYTES = 16 * 1024 * 1024
# Objects that such a cluster may have, and seconds that one worker may work at it.
SHARE_VIEW_OBJECTS = 10_000
SHARE_VIEW_WORK_SECONDS = 60
SHARE_VIEWS_AT_WORK = 8
SHARE_VIEWS_PER_MINUTE = 30
SHARE_VIEWS_SECONDS = 60
# Classes: characters of a code and of a follower's name, followers and questions of one, hours that it stays open.
CLASS_CODE = 8
FOLLOWER_NAME = 40
CLASS_FOLLOWERS = 250
CLASS_QUESTIONS = 200
CLASS_HOURS = 24
# Wrong codes from one address in five minutes: a room of people behind one router mistypes some.
WRONG_CODES = 100
WRONG_CODE_SECONDS = 300
# What a page in a class may send: bytes of a frame, frames a second, and as many more at once.
CLASS_FRAME_BYTES = 4096
CLASS_FRAMES_PER_SECOND = 20
CLASS_FRAMES_AT_ONCE = 40
# Clusters of somebody without an account, and the days that a guest is kept at most: they end with their class. Guests
# that an address may become in an hour: a room of people behind one router is one address.
GUEST_CLUSTERS = 5
GUEST_DAYS = 14
GUESTS_PER_ADDRESS = 300
GUESTS_SECONDS = 3600

# Requests that a web process works on at a time: some wait for a cluster for half a minute.
REQUESTS_AT_WORK = 1000
# Of these, those of one client, which change something and which read pages. Of reads of the Kubernetes API, which wait
# for nothing, all together and those of one client; and lists. The others wait so many seconds.
WRITES_AT_WORK_PER_CLIENT = 64
PAGE_READS_AT_WORK_PER_CLIENT = 16
CLUSTER_READS_AT_WORK, CLUSTER_READS_AT_WORK_PER_CLIENT = 24, 8
LISTS_AT_A_TIME = 1
CLIENT_PLACE_SECONDS = 30.0

# Watches of the Kubernetes API: open ones of a client, and seconds of one at most.
WATCHES_PER_CLIENT = 2000
WATCH_SECONDS = 4 * 3600
# Threads in which watches read the database.
WATCH_THREADS = 4
# Its requests: of a client, each second, and as many more at once.
REQUESTS_PER_SECOND = 400
REQUESTS_AT_ONCE = 2000
# Its tokens: of a cluster, and characters of their names and of the program that used one.
TOKENS_PER_CLUSTER = 50
TOKEN_NAME = 60
CLIENT_NAME = 82
# What clients were refused: of a cluster, and characters of the reason that the page tells.
REFUSALS_PER_CLUSTER = 50
REFUSAL_MESSAGE = 500

# A version of kube-scheduler with all of its feature gates.
EMULATION = _MAX_GATES + 20
